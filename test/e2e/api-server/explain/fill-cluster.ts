import type { Instance } from '@aws-sdk/client-ec2';
import { DISCOVERY_TAG } from '../../lab/aws/account.ts';
import type { CloudClients } from '../../lab/aws/cloud-clients.ts';
import { findTargets, runInstance } from '../../lab/aws/run-instance.ts';
import { listAt, textAt, valueAt } from '../../lab/json.ts';
import type { AdminClient } from '../../lab/kubernetes/admin-client.ts';
import type { Kubectl } from '../../lab/kubernetes/kubectl.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { conditionOf } from '../samples.ts';
import { CLUSTER } from './account.ts';
import {
  buildPools,
  claimStatus,
  GROUP_NODES,
  GUARD_BUDGET,
  groupNode,
  NODE_CLASS,
  nodeClass,
  nodeStatus,
  OWN_NODES,
  ownClaim,
  ownNode,
  RUNNING_PODS,
  runningPod,
  runningStatus,
  STORAGE,
  tagsOf,
  WAITING,
} from './objects.ts';

interface Parts {
  readonly kubectl: Kubectl;
  readonly kube: AdminClient;
  readonly cloud: CloudClients;
}

type OwnName = keyof typeof OWN_NODES;
const OWN_NAMES = Object.keys(OWN_NODES) as OwnName[];
const PODS = '/api/v1/namespaces/default/pods';

/** Creates all objects and instances, and waits until kube-scheduler gives up on the pods. */
export async function fillCluster({ kubectl, kube, cloud }: Parts, now: number): Promise<void> {
  const instances = await startInstances(cloud);
  const each = <T>(make: (name: OwnName, instance: Instance) => T): readonly T[] =>
    [...instances].map(([name, instance]) => make(name, instance));
  const apply = (items: readonly object[]) => kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items });

  await apply([
    nodeClass({ [DISCOVERY_TAG]: CLUSTER }),
    ...buildPools(now),
    ...GROUP_NODES.map(groupNode),
    ...each(ownNode),
    ...each(ownClaim),
  ]);
  const types = {
    ...Object.fromEntries(GROUP_NODES.map((name) => [name, 'm5.2xlarge'])),
    ...OWN_NODES,
  };
  for (const [name, type] of Object.entries(types)) {
    await kube.patch(`/api/v1/nodes/${name}/status`, { status: nodeStatus(type) });
    // Controllers taint a new Node, and take the taint away when they see that it is ready.
    await kube.patch(`/api/v1/nodes/${name}`, { spec: { taints: [] } });
  }
  for (const [name, instance] of instances) {
    const status = claimStatus(name, instance, now);
    await kube.patch(`/apis/karpenter.sh/v1/nodeclaims/${name}/status`, { status });
  }
  await kube.patch(`/apis/karpenter.k8s.aws/v1/ec2nodeclasses/${NODE_CLASS}/status`, {
    status: { conditions: [conditionOf('Ready', 'True')] },
  });
  await apply([...STORAGE, GUARD_BUDGET, ...RUNNING_PODS.map(runningPod), ...WAITING]);
  for (const { name } of RUNNING_PODS) {
    await kube.patch(`${PODS}/${name}/status`, { status: runningStatus(now - 60_000) });
  }
  await waitUntil('pods that kube-scheduler cannot place', async () => {
    const pods = await kube.list(PODS);
    return pods.filter(isUnschedulable).length === WAITING.length;
  });
  await waitUntil('the state of the PodDisruptionBudget', async () => {
    const budget = await kube.get('/apis/policy/v1/namespaces/default/poddisruptionbudgets/guard');
    return valueAt(budget, 'status', 'currentHealthy') === 1;
  });
}

const isUnschedulable = (pod: unknown): boolean =>
  listAt(pod, 'status', 'conditions').some((condition) => textAt(condition, 'reason') === 'Unschedulable');

async function startInstances(cloud: CloudClients): Promise<ReadonlyMap<OwnName, Instance>> {
  const [target] = await findTargets(cloud);
  const instances = new Map<OwnName, Instance>();
  for (const name of OWN_NAMES) {
    const tags = tagsOf(name, CLUSTER);
    const instanceType = OWN_NODES[name];
    instances.set(name, await runInstance(cloud, { instanceType, tags, target }));
  }
  return instances;
}
