import type { Instance } from '@aws-sdk/client-ec2';
import { forEachWithLimit } from '../../../../shared/model/concurrency.ts';
import { findTargets, providerIdOf, runInstance } from '../../lab/aws/run-instance.ts';
import { applyCrds } from '../../lab/kubernetes/apply-crds.ts';
import { initializedConditions } from '../../lab/kubernetes/claim-conditions.ts';
import { TERMINATION_FINALIZER } from '../../lab/kubernetes/karpenter-double.ts';
import { nodeManifest, nodeStatus } from '../../lab/kubernetes/node-manifest.ts';
import { CLUSTER, type Lab } from '../../lab/start-lab.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { NODE_CLASS } from '../../world.ts';

/** A cluster that Karpenter has grown: nodes with their NodeClaims and instances, and pods. */
export interface ClusterSize {
  readonly nodes: number;
  readonly pods: number;
}

const POOL = 'scale';
const NAMESPACE = 'scale';
const INSTANCE_TYPES = ['m5.xlarge', 'm5a.xlarge', 'm6i.xlarge'] as const;
const DEPLOYMENTS = 20;
/** Twenty such pods leave no room for the pods of an interrupted node. */
const POD_CPU = '180m';
/** The local EC2 and the API server answer on the same two cores. */
const PARALLEL = 8;
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';
const LABELS = {
  'karpenter.sh/nodepool': POOL,
  'karpenter.sh/capacity-type': 'on-demand',
  'karpenter.k8s.aws/ec2nodeclass': NODE_CLASS,
};

/** @returns the ids of the instances */
export async function createCluster(lab: Lab, size: ClusterSize): Promise<readonly string[]> {
  const { kubectl, kube, say } = lab;
  await applyCrds(kubectl);
  await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await kubectl(['apply', '-f', '-'], NODE_POOL);

  const instances = await runInstances(lab, size.nodes);
  say(`${instances.length} instances run`);
  await forEachWithLimit(instances, PARALLEL, (instance) => join(lab, instance));
  say(`${instances.length} nodes are ready`);

  const perDeployment = Math.ceil(size.pods / DEPLOYMENTS);
  for (let index = 0; index < DEPLOYMENTS; index += 1) {
    await createDeployment(lab, `web-${index}`, perDeployment, POD_CPU);
  }
  await waitForRunning(lab, perDeployment * DEPLOYMENTS);
  say(`${perDeployment * DEPLOYMENTS} pods run`);
  return instances.map(({ InstanceId = '' }) => InstanceId);
}

export const createDeployment = ({ kube }: Lab, name: string, replicas: number, cpu: string): Promise<void> =>
  kube.create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          nodeSelector: { 'karpenter.sh/nodepool': POOL },
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'main', image: 'main', resources: { requests: { cpu, memory: '256Mi' } } }],
        },
      },
    },
  });

/** Counts in the watch of the kubelets: a list of all pods would burden the API server. */
export const waitForRunning = async ({ nodes }: Lab, count: number): Promise<void> => {
  await waitUntil(
    `${count} running pods`,
    () => [...nodes.pods.values()].filter(({ runningAt }) => runningAt !== undefined).length >= count,
    { timeoutMs: 30 * 60_000, everyMs: 1_000 },
  );
};

const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: POOL },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: NODE_CLASS },
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
        ],
        expireAfter: 'Never',
      },
    },
    // The nodes have free room on purpose: consolidation would change what is measured.
    disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
  },
};

async function runInstances({ cloud }: Lab, count: number): Promise<readonly Instance[]> {
  const targets = await findTargets(cloud);
  const instances: Instance[] = [];
  await forEachWithLimit([...Array(count).keys()], PARALLEL, async (index) => {
    const instance = await runInstance(cloud, {
      instanceType: INSTANCE_TYPES[index % INSTANCE_TYPES.length] ?? INSTANCE_TYPES[0],
      tags: {
        ...LABELS,
        'karpenter.sh/nodeclaim': claimName(index),
        'eks:eks-cluster-name': CLUSTER,
        [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
      },
      target: targets[index % targets.length],
    });
    instances.push(instance);
  });
  return instances;
}

const claimName = (index: number): string => `${POOL}-${String(index).padStart(4, '0')}`;

/** Writes the NodeClaim and the Node as they are after Karpenter has initialised the node. */
async function join({ kube, nodes }: Lab, instance: Instance): Promise<void> {
  const claim = instance.Tags?.find(({ Key }) => Key === 'karpenter.sh/nodeclaim')?.Value ?? '';
  // Private addresses of the local EC2 are random, and may repeat.
  const node = instance.InstanceId ?? '';
  const { PrivateDnsName: _, ...named } = instance;
  const labels = {
    ...LABELS,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  await kube.create(CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: claim, labels: LABELS, finalizers: [TERMINATION_FINALIZER] },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: NODE_CLASS },
      requirements: [
        {
          key: 'node.kubernetes.io/instance-type',
          operator: 'In',
          values: [instance.InstanceType],
        },
      ],
      expireAfter: 'Never',
    },
  });
  await kube.patch(`${CLAIMS}/${claim}/status`, {
    status: {
      providerID: providerIdOf(instance),
      nodeName: node,
      conditions: initializedConditions(),
    },
  });
  const config = { labels, taints: [], cluster: CLUSTER, endpoint: '', certificateAuthority: '' };
  const manifest = nodeManifest(named, config);
  await kube.create('/api/v1/nodes', manifest);
  await kube.patch(`/api/v1/nodes/${node}`, {
    metadata: { finalizers: [TERMINATION_FINALIZER] },
  });
  await kube.patchNodeStatus(node, nodeStatus(named, config, crypto.randomUUID(), true));
  nodes.serve(node);
}
