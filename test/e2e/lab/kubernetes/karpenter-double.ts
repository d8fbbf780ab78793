import { stringify } from 'yaml';
import { providerIdOf, runInstance } from '../aws/run-instance.ts';
import { textAt } from '../json.ts';
import { CLUSTER, type Lab } from '../start-lab.ts';
import { waitUntil } from '../wait-until.ts';
import { initializedConditions } from './claim-conditions.ts';
import { type HeldLease, keepLease } from './keep-lease.ts';

export const TERMINATION_FINALIZER = 'karpenter.sh/termination';
export const KARPENTER_LEASE = 'karpenter-leader-election';
const NODES = '/api/v1/nodes';
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';

/** A node that Karpenter has launched. */
export interface KarpenterNode {
  readonly claim: string;
  readonly node: string;
  readonly instance: string;
  readonly providerId: string;
}

/** Karpenter's part of a node's life: its lease, one launch, and the beginning of a drain. */
export interface KarpenterDouble {
  launch(options: LaunchOptions): Promise<KarpenterNode>;
  /** Deletes the Node, taints it and evicts the first pod, as Karpenter's next steps are. */
  startDrain(node: KarpenterNode, namespace: string): Promise<void>;
  /** Ends as a killed process does: nothing is released. */
  die(): void;
  /** Deletes the lease that `die` has left. */
  cleanUp(): Promise<void>;
}

export interface LaunchOptions {
  readonly pool: string;
  readonly nodeClass: string;
  readonly instanceType: 'm5.xlarge';
}

export async function startKarpenterDouble(lab: Lab): Promise<KarpenterDouble> {
  const lease: HeldLease = await keepLease(lab.kube, KARPENTER_LEASE);
  return {
    launch: (options) => launch(lab, options),
    startDrain: (node, namespace) => startDrain(lab, node, namespace),
    die: lease.abandon,
    cleanUp: lease.end,
  };
}

/** Writes the NodeClaim, starts the instance and registers its Node. */
async function launch(lab: Lab, { pool, nodeClass, instanceType }: LaunchOptions) {
  const { kube, cloud } = lab;
  const claim = `${pool}-karpenter`;
  const labels = {
    'karpenter.sh/nodepool': pool,
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.k8s.aws/ec2nodeclass': nodeClass,
  };
  await kube.create(CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: claim,
      labels,
      finalizers: [TERMINATION_FINALIZER],
      annotations: {
        'karpenter.sh/nodepool-hash': '1234567890123456789',
        'karpenter.sh/nodepool-hash-version': 'v3',
      },
    },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass },
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [instanceType] }],
    },
  });
  const instance = await runInstance(cloud, {
    instanceType,
    tags: {
      ...labels,
      'karpenter.sh/nodeclaim': claim,
      'eks:eks-cluster-name': CLUSTER,
      [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
      // Only the kubelets of this lab read this tag.
      'lab/kubelet': 'karpenter',
    },
    userData: userDataFor(lab, labels),
  });
  lab.nodes.poll();
  const providerId = providerIdOf(instance);
  const joined = await waitUntil(`a Node of ${providerId}`, async () => {
    const nodes = await kube.list(NODES);
    return nodes.find((one) => textAt(one, 'spec', 'providerID') === providerId);
  });
  const node = textAt(joined, 'metadata', 'name');
  await kube.patch(`${CLAIMS}/${claim}/status`, {
    status: { providerID: providerId, nodeName: node, conditions: initializedConditions() },
  });
  await waitUntil(`${node} to be ready`, () => lab.nodes.readyAt.has(node));
  await kube.patch(`${NODES}/${node}`, {
    metadata: {
      finalizers: [TERMINATION_FINALIZER],
      labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
    },
    spec: { taints: [] },
  });
  return { claim, node, instance: instance.InstanceId, providerId };
}

const userDataFor = ({ controlPlane }: Lab, labels: Readonly<Record<string, string>>): string =>
  stringify({
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: {
        name: CLUSTER,
        apiServerEndpoint: controlPlane.url,
        certificateAuthority: Buffer.from(controlPlane.certificateAuthority).toString('base64'),
      },
      kubelet: {
        config: {
          registerWithTaints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
        },
        flags: [
          `--node-labels="${Object.entries(labels)
            .map(([key, value]) => `${key}=${value}`)
            .join(',')}"`,
        ],
      },
    },
  });

async function startDrain({ kube, kubectl }: Lab, { node, claim }: KarpenterNode, namespace: string): Promise<void> {
  await kubectl(['delete', 'nodeclaim', claim, '--wait=false']);
  await kube.remove(`${NODES}/${node}`);
  await kube.patch(`${NODES}/${node}`, {
    spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] },
  });
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const [first] = (await kube.list(pods)).filter((pod) => textAt(pod, 'spec', 'nodeName') === node);
  const name = textAt(first, 'metadata', 'name');
  await kube.create(`${pods}/${name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
  });
}
