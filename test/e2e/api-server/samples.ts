import { CAPACITY_BUFFER } from '../../../shared/api/custom-resources/capacity-buffer.ts';
import { EC2_NODE_CLASS } from '../../../shared/api/custom-resources/ec2-node-class.ts';
import { NODE_CLAIM } from '../../../shared/api/custom-resources/node-claim.ts';
import { NODE_OVERLAY } from '../../../shared/api/custom-resources/node-overlay.ts';
import { NODE_POOL } from '../../../shared/api/custom-resources/node-pool.ts';
import type { CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { buffer, nodeClaim, overlay, times } from '../../api/checklist/builders.ts';
import { nodeClass, nodePool } from '../../api/support/read-text.ts';

/** The name of the NodeClaim in `WRITTEN`. */
export const CLAIM = 'general-x7k2p';

export interface Sample {
  readonly kind: CustomKind;
  readonly object: { readonly metadata: { readonly name?: unknown } };
}

const claimMetadata = {
  name: CLAIM,
  labels: {
    'karpenter.sh/nodepool': 'general',
    'karpenter.sh/capacity-type': 'spot',
    'node.kubernetes.io/instance-type': 'm7i.large',
    'topology.kubernetes.io/zone': 'us-east-1a',
  },
};

/**
 * One object of every kind. Fields of many types are written, the others are left to their
 * defaults.
 */
export const WRITTEN: readonly Sample[] = [
  {
    kind: NODE_POOL,
    object: nodePool(
      { weight: 5, limits: { cpu: '10', memory: 1024 }, disruption: { budgets: [{}] } },
      {
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gte', values: ['4'], minValues: 2 },
        ],
        startupTaints: [{ key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' }],
        terminationGracePeriod: '30m1h',
      },
      // YAML 1.1 reads these words as a boolean and an octal number.
      { labels: { team: 'yes', octal: '012' }, annotations: { empty: '' } },
    ),
  },
  { kind: NODE_CLAIM, object: nodeClaim({ resources: { requests: { cpu: 1 } } }, claimMetadata) },
  {
    kind: EC2_NODE_CLASS,
    object: nodeClass({
      kubelet: { maxPods: 60, unknownYet: { deep: [null, 1] } },
      tags: { team: 'a', Name: '' },
      metadataOptions: { httpPutResponseHopLimit: 2 },
      blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } }],
    }),
  },
  { kind: NODE_OVERLAY, object: overlay({ weight: 3, priceAdjustment: '-10%' }) },
  {
    kind: CAPACITY_BUFFER,
    object: buffer({ scalableRef: { kind: 'Deployment', name: 'web' }, percentage: 25 }),
  },
];

const tags = (count: number) =>
  Object.fromEntries(times(count, (index) => [`example.com/tag-${index}`, 'x'.repeat(200)]));
const requirements = (kind: string) =>
  times(100, (index) => ({
    key: `${kind}.example.com/${'k'.repeat(60)}-${index}`,
    operator: 'In',
    values: times(600, (value) => `value-${value}`),
  }));

/**
 * Objects with lists of the maximum length, or longer than in practice if the CRD sets no limit.
 */
export const LARGEST: readonly object[] = [
  nodePool(
    {
      disruption: {
        budgets: times(50, () => ({ nodes: '5', schedule: '0 9 * * mon-fri', duration: '8h' })),
      },
      limits: Object.fromEntries(times(200, (index) => [`example.com/r-${index}`, '1'])),
    },
    { requirements: requirements('pool') },
    { labels: Object.fromEntries(times(100, (index) => [`example.com/l-${index}`, 'v'])) },
  ),
  nodeClaim({ requirements: requirements('claim') }),
  nodeClass({
    subnetSelectorTerms: times(30, () => ({ tags: tags(20) })),
    securityGroupSelectorTerms: times(30, () => ({ tags: tags(20) })),
    capacityReservationSelectorTerms: times(30, () => ({ tags: tags(20) })),
    amiSelectorTerms: times(30, () => ({ tags: tags(20), owner: 'self' })),
    amiFamily: 'AL2023',
    tags: tags(50),
    blockDeviceMappings: times(50, (index) => ({
      deviceName: `/dev/xvd${index}`,
      ebs: { volumeSize: '20Gi' },
    })),
    networkInterfaces: [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
      ...times(149, (index) => ({
        networkCardIndex: index + 1,
        deviceIndex: 1,
        interfaceType: 'efa-only',
      })),
    ],
    userData: 'x'.repeat(100_000),
  }),
  overlay({ requirements: requirements('overlay'), capacity: { 'example.com/gpu': 1 } }),
  buffer({ podTemplateRef: { name: 'web' }, limits: { cpu: '1000' } }),
].map((object) => ({ ...object, metadata: { ...object.metadata, name: 'largest' } }));

export const conditionOf = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: type,
  message: '',
  lastTransitionTime: '2026-11-21T12:00:00Z',
});
