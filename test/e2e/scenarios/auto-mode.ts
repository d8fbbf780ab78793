import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { providerIdOf, runInstance } from '../lab/aws/run-instance.ts';
import { sendHints } from '../lab/aws/send-hints.ts';
import { listAt, textAt, valueAt } from '../lab/json.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { expect, type Scenario, type World } from '../scenario.ts';
import { notify } from './interruption.ts';

const POOL = 'general-purpose';
const FINALIZER = 'karpenter.sh/termination';
const SWEEPS = 3;
const NAMES = ['auto-running', 'auto-orphaned'] as const;
const [RUNNING, ORPHANED] = NAMES;

export const autoMode: Scenario = {
  name: 'draining nodes of EKS Auto Mode are left alone',
  id: 'auto-mode',
  async run(lab, world) {
    await applyAutoMode(lab);
    const started: AutoNode[] = [];
    try {
      // Our own pool beside it, so that every controller has work in this cluster.
      await world.pool();
      await world.deployment('web', 2);
      await world.waitForRunning(2);

      const running = await startAutoNode(lab, world, RUNNING);
      started.push(running);
      // EC2 does not know the instance of this one: its finalizer is all that keeps the Node.
      const orphaned = await addAutoNode(lab, world, {
        name: ORPHANED,
        providerId: 'aws:///us-east-1a/i-0aaaaaaaaaaaaaaaa',
      });
      const nodes = [running, orphaned];
      await lab.kubectl(['delete', 'nodeclaim', ...NAMES, '--wait=false']);
      await lab.kubectl(['delete', 'node', ...NAMES, '--wait=false']);
      await lab.kubectl(['taint', 'node', ...NAMES, 'karpenter.sh/disrupted=:NoSchedule']);

      const fleets = lab.ec2.fleetCalls.length;
      for (const { providerId } of nodes) await notify(lab, 'EC2 Spot Instance Interruption Warning', providerId);
      for (let round = 0; round < SWEEPS; round += 1) {
        const claims = NAMES.map((claim) => ({ topic: 'claim', claim }) as const);
        await sendHints(lab.cloud, [{ topic: 'sweep' }, ...claims, { topic: 'class' }]);
        await sleep(8_000);
      }

      expect(lab.ec2.fleetCalls.length === fleets, 'a node was launched for a node of Auto Mode');
      for (const { name, providerId } of nodes) {
        const instance = providerId.split('/').at(-1) ?? '';
        expect(!lab.ec2.terminations.has(instance), `${instance} was terminated`);
        await expectUntouched(lab, `/api/v1/nodes/${name}`);
        await expectUntouched(lab, `/apis/karpenter.sh/v1/nodeclaims/${name}`);
        const pod = await lab.kube.get(`/api/v1/namespaces/${world.id}/pods/${name}`);
        expect(valueAt(pod, 'metadata', 'deletionTimestamp') === undefined, `pod ${name} was evicted`);
      }
      await expectUntouched(lab, `/apis/karpenter.sh/v1/nodepools/${POOL}`, { isDeleting: false });
      const state = await stateOf(lab, running.providerId);
      expect(state === 'running', `the instance of Auto Mode is ${state}`);
      return { nodes: nodes.length, sweeps: SWEEPS };
    } finally {
      await removeAutoMode(lab, world, started);
    }
  },
};

interface AutoNode {
  readonly name: string;
  readonly providerId: string;
}

/** Applies NodeClass and NodePool of Auto Mode, whose CRDs EKS installs. */
async function applyAutoMode({ kubectl }: Lab): Promise<void> {
  await kubectl(['apply', '-f', '-'], NODE_CLASS_CRD);
  await kubectl(['wait', '--for=condition=Established', `crd/${NODE_CLASS_CRD.metadata.name}`]);
  await kubectl(['apply', '-f', '-'], {
    apiVersion: 'eks.amazonaws.com/v1',
    kind: 'NodeClass',
    metadata: { name: 'default' },
    spec: { role: 'AmazonEKSAutoNodeRole' },
  });
  await kubectl(['apply', '-f', '-'], {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: POOL },
    spec: { template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [] } } },
  });
}

async function startAutoNode(lab: Lab, world: World, name: string): Promise<AutoNode> {
  const instance = await runInstance(lab.cloud, {
    instanceType: 'm5.large',
    tags: {
      'eks:eks-cluster-name': CLUSTER,
      'eks:kubernetes-node-pool-name': POOL,
      'eks:kubernetes-node-class-name': 'default',
      [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
      'karpenter.sh/nodepool': POOL,
      'karpenter.sh/nodeclaim': name,
    },
  });
  return addAutoNode(lab, world, { name, providerId: providerIdOf(instance) });
}

/** Creates NodeClaim and Node as Auto Mode does, and a pod that runs there. */
async function addAutoNode({ kubectl, kube }: Lab, world: World, { name, providerId }: AutoNode): Promise<AutoNode> {
  const labels = {
    'karpenter.sh/nodepool': POOL,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'karpenter.sh/capacity-type': 'on-demand',
    'eks.amazonaws.com/compute-type': 'auto',
    'eks.amazonaws.com/nodeclass': 'default',
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/zone': 'us-east-1a',
  };
  const finalizers = [FINALIZER];
  await kubectl(['create', '-f', '-'], {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels, finalizers },
    spec: { nodeClassRef: NODE_CLASS_REF, requirements: [] },
  });
  await kubectl(['create', '-f', '-'], {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, finalizers },
    spec: { providerID: providerId },
  });
  await kubectl([
    'patch',
    'nodeclaim',
    name,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({
      status: { providerID: providerId, nodeName: name },
    }),
  ]);
  await kubectl(['create', '-f', '-'], {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: world.id, name },
    spec: {
      nodeName: name,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'main', image: 'main' }],
    },
  });
  await kube.patch(`/api/v1/namespaces/${world.id}/pods/${name}/status`, {
    status: { phase: 'Running' },
  });
  return { name, providerId };
}

/** kubectl and the controllers of Kubernetes. Every write of ours would add another manager. */
const ALLOWED_MANAGERS = /^(kubectl.*|(kube-)?controller-manager|(kube-)?scheduler)$/;

async function expectUntouched({ kube }: Lab, path: string, { isDeleting = true } = {}) {
  const object = await kube.get(path);
  const managers = listAt(object, 'metadata', 'managedFields').map((one) => textAt(one, 'manager'));
  const others = managers.filter((manager) => !ALLOWED_MANAGERS.test(manager));
  expect(managers.length > 0 && others.length === 0, `${path} was written by ${others.join()}`);
  if (!isDeleting) return;
  expect(listAt(object, 'metadata', 'finalizers').includes(FINALIZER), `${path} lost the finalizer of Auto Mode`);
}

async function stateOf({ cloud }: Lab, providerId: string): Promise<string | undefined> {
  const InstanceIds = [providerId.split('/').at(-1) ?? ''];
  const { Reservations = [] } = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  return Reservations[0]?.Instances?.[0]?.State?.Name;
}

/** Removes the finalizers, as Auto Mode does after the drain, and everything else of it. */
async function removeAutoMode(
  { cloud, kubectl, kube }: Lab,
  { id }: World,
  started: readonly AutoNode[],
): Promise<void> {
  const InstanceIds = started.map(({ providerId }) => providerId.split('/').at(-1) ?? '');
  if (started.length > 0) await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  for (const name of NAMES) {
    await kube.remove(`/api/v1/namespaces/${id}/pods/${name}`, { gracePeriodSeconds: 0 });
    await kube.patch(`/api/v1/nodes/${name}`, { metadata: { finalizers: [] } });
    await kube.patch(`/apis/karpenter.sh/v1/nodeclaims/${name}`, { metadata: { finalizers: [] } });
  }
  await kubectl(['delete', 'node', ...NAMES, '--ignore-not-found']);
  await kubectl(['delete', 'nodeclaim', ...NAMES, '--ignore-not-found']);
  await kubectl(['delete', 'nodepool', POOL, '--ignore-not-found']);
  await kubectl(['delete', 'crd', NODE_CLASS_CRD.metadata.name, '--ignore-not-found']);
}

const NODE_CLASS_REF = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' };

const NODE_CLASS_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodeclasses.eks.amazonaws.com' },
  spec: {
    group: 'eks.amazonaws.com',
    names: { kind: 'NodeClass', plural: 'nodeclasses', singular: 'nodeclass' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
