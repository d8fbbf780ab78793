import { ec2NodeClassSchema, type WrittenEC2NodeClass } from '../../shared/api/stored-objects/ec2-node-class.ts';
import type { ClusterFacts, NodeImage, NodeReservation } from '../../shared/model/nodes/resolved-node-class.ts';
import type { NodeClassObject, ResolvedNodeClass } from '../../shared/ports/node-classes.ts';
import { NOON, ZONES } from './builders.ts';

type Written = Readonly<Record<string, unknown>>;

/**
 * An AL2023 class with the usual selectors.
 *
 * @param spec - fields as a user writes them
 */
export const aWrittenClass = (spec: Written = {}): WrittenEC2NodeClass =>
  ec2NodeClassSchema.parse({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', uid: 'class-default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      role: 'KarpenterNodeRole-demo',
      ...spec,
    },
  });

export const CLUSTER_FACTS: ClusterFacts = {
  name: 'demo',
  endpoint: 'https://ABC.gr7.us-east-1.eks.amazonaws.com',
  certificateAuthority: Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64'),
  version: '1.34',
  serviceCidr: '10.100.0.0/16',
  dnsIp: '10.100.0.10',
};

/** For amd64. */
export const anImage = (over: Partial<NodeImage> = {}): NodeImage => ({
  id: 'ami-amd64',
  name: 'amazon-eks-node-al2023-x86_64-standard-1.34-v20251120',
  deprecated: false,
  createdAt: NOON,
  requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
  ...over,
});

/** Ten m7i.large in the first zone, for this account only. */
export const aReservation = (over: Partial<NodeReservation> = {}): NodeReservation => ({
  id: 'cr-1',
  zone: ZONES[0],
  instanceType: 'm7i.large',
  ownerId: '123456789012',
  matchCriteria: 'targeted',
  kind: 'default',
  isInterruptible: false,
  freeInstances: 10,
  ...over,
});

/** A ready class with a subnet in each zone and an image for each architecture. */
export const aResolvedClass = (over: Partial<ResolvedNodeClass> = {}): ResolvedNodeClass => ({
  name: 'default',
  uid: 'class-default',
  generation: 1,
  resolvedAt: NOON,
  subnets: ZONES.map((zone) => ({ id: `subnet-${zone.slice(-1)}`, zone, freeAddresses: 250 })),
  securityGroups: [{ id: 'sg-1', name: 'nodes' }],
  images: [
    anImage(),
    anImage({
      id: 'ami-arm64',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
    }),
  ],
  instanceProfile: 'demo-profile',
  cluster: CLUSTER_FACTS,
  conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }],
  written: aWrittenClass(),
  ...over,
});

/** A new object without a status. */
export const aClassObject = (over: Partial<NodeClassObject> = {}): NodeClassObject => ({
  name: 'default',
  uid: 'class-default',
  generation: 1,
  resourceVersion: '1',
  annotations: {},
  finalizers: [],
  isDeleting: false,
  spec: { outcome: 'read', written: aWrittenClass() },
  conditions: [],
  ...over,
});
