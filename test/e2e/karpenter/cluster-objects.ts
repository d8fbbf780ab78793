import { DISCOVERY_TAG } from '../lab/aws/account.ts';
import { ACCOUNT } from '../lab/aws/emulators.ts';
import { CLUSTER } from '../lab/start-lab.ts';

/** Objects that the suites expect in a cluster where Karpenter is installed. */

/** The node that runs Karpenter itself. Its taint keeps the pods of specs away. */
export const SYSTEM_NODE = 'system-0';
export const CONTROLLER_ROLE = `KarpenterControllerRole-${CLUSTER}`;
export const NODE_ROLE = `KarpenterNodeRole-${CLUSTER}`;

const SYSTEM_TAINT = { key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' };
const KARPENTER_LABELS = {
  'app.kubernetes.io/instance': 'karpenter',
  'app.kubernetes.io/name': 'karpenter',
};

/** All gates that a suite uses. Karpenter's own test installation enables them too. */
const FEATURE_GATES = [
  'ReservedCapacity',
  'NodeRepair',
  'TerminateFirstDrift',
  'TerminateFirstRepair',
  'SpotToSpotConsolidation',
  'NodeOverlay',
  'StaticCapacity',
  'CapacityBuffer',
];

export const systemNode: object = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: SYSTEM_NODE,
    labels: {
      'kubernetes.io/hostname': SYSTEM_NODE,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    },
  },
  spec: { taints: [SYSTEM_TAINT] },
};

export function systemNodeStatus(): object {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const resources = { cpu: '8', memory: '16Gi', pods: '110' };
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
  return {
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }],
    },
  };
}

/** Specs deny its role the rights for launches. */
export const karpenterServiceAccount: object = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: {
    name: 'karpenter',
    namespace: 'kube-system',
    annotations: { 'eks.amazonaws.com/role-arn': `arn:aws:iam::${ACCOUNT}:role/${CONTROLLER_ROLE}` },
  },
};

/** Its environment holds Karpenter's settings, which specs read and change. */
export const karpenterDeployment: object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'karpenter', namespace: 'kube-system', labels: KARPENTER_LABELS },
  spec: {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: KARPENTER_LABELS },
    template: {
      metadata: { labels: KARPENTER_LABELS },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': SYSTEM_NODE },
        priorityClassName: 'system-cluster-critical',
        serviceAccountName: 'karpenter',
        tolerations: [{ key: SYSTEM_TAINT.key, operator: 'Exists' }],
        containers: [
          {
            name: 'controller',
            image: 'mortise',
            env: [
              {
                name: 'FEATURE_GATES',
                value: FEATURE_GATES.map((gate) => `${gate}=true`).join(','),
              },
              { name: 'AWS_FEATURE_GATES', value: 'NodeClassCEL=true,RebootForRepair=true' },
              // Karpenter's moves have no price.
              { name: 'CONSOLIDATION_PAYBACK', value: 'Any' },
            ],
          },
        ],
      },
    },
  },
};

export const KARPENTER_SELECTOR = 'app.kubernetes.io/instance=karpenter';

/**
 * The lease whose holder names Karpenter's active pod. Without a time of renewal no process holds
 * it, so Mortise does not stand by.
 */
export const leaderLease = (pod: string): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' },
  spec: { holderIdentity: `${pod}_lab` },
});

/** EKS has this kind; the suites of the AWS provider delete its objects after each spec. */
export const securityGroupPolicies = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'securitygrouppolicies.vpcresources.k8s.aws' },
  spec: {
    group: 'vpcresources.k8s.aws',
    scope: 'Namespaced',
    names: {
      kind: 'SecurityGroupPolicy',
      listKind: 'SecurityGroupPolicyList',
      plural: 'securitygrouppolicies',
      singular: 'securitygrouppolicy',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

const discovered = [{ tags: { [DISCOVERY_TAG]: CLUSTER } }];

/** The node class of the core suite's specs, for its flag `--default-nodeclass`. */
export const defaultNodeClass: object = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: NODE_ROLE,
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: discovered,
    securityGroupSelectorTerms: discovered,
  },
};

interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Gt';
  readonly values: readonly string[];
}

/**
 * The NodePool of the core suite's specs, for its flag `--default-nodepool`: as in the suites of the
 * AWS provider.
 */
export function defaultNodePool(more: readonly Requirement[] = []): object {
  const requirements: readonly Requirement[] = [
    { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
    { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
    { key: 'karpenter.k8s.aws/instance-family', operator: 'NotIn', values: ['a1'] },
    ...more,
  ];
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: {
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 'Never',
        budgets: [{ nodes: '100%' }],
      },
      limits: { cpu: '1000', memory: '1000Gi' },
      template: {
        spec: {
          expireAfter: 'Never',
          requirements,
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        },
      },
    },
  };
}

/**
 * Specs of CapacityBuffers count nodes of two CPUs. The suite restricts KWOK's types itself and
 * leaves other clouds to the default NodePool.
 */
export const TWO_CPUS: Requirement = {
  key: 'karpenter.k8s.aws/instance-cpu',
  operator: 'In',
  values: ['2'],
};
