import { customKind } from '../schema/custom-kind.ts';
import { defaulting, mapOf, object, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { AGE_PATH, claimConditions, READY_PATH } from './conditions.ts';
import { nodeClassRef } from './node-class-ref.ts';
import { requirements } from './requirements.ts';
import { duration, instant, nillableDuration, quantity } from './scalars.ts';
import { taints } from './taints.ts';

const FIXED: Rule = {
  id: 'NC-01',
  cel: 'self == oldSelf',
  why: 'a NodeClaim is one machine: what it was made of cannot change',
  fix: 'delete it, and let another be made',
};

const label = (key: string): string => `.metadata.labels.${key.replaceAll('.', '\\.')}`;

export const NODE_CLAIM = customKind({
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  singular: 'nodeclaim',
  scope: 'Cluster',
  shortNames: [],
  categories: ['karpenter'],
  columns: [
    { name: 'Type', type: 'string', path: label('node.kubernetes.io/instance-type') },
    { name: 'Capacity', type: 'string', path: label('karpenter.sh/capacity-type') },
    { name: 'Zone', type: 'string', path: label('topology.kubernetes.io/zone') },
    { name: 'Node', type: 'string', path: '.status.nodeName' },
    { name: 'Ready', type: 'string', path: READY_PATH },
    { name: 'Age', type: 'date', path: AGE_PATH },
    { name: 'ImageID', type: 'string', path: '.status.imageID', isWide: true },
    { name: 'ID', type: 'string', path: '.status.providerID', isWide: true },
    { name: 'NodePool', type: 'string', path: label('karpenter.sh/nodepool'), isWide: true },
    { name: 'NodeClass', type: 'string', path: '.spec.nodeClassRef.name', isWide: true },
    {
      name: 'Drifted',
      type: 'string',
      path: '.status.conditions[?(@.type=="Drifted")].status',
      isWide: true,
    },
  ],
  description: 'One machine: what was asked for, what was launched, and how far it got.',
  spec: object('What the machine must be; it never changes.', {
    required: {
      nodeClassRef: nodeClassRef({ isFixed: false }),
      requirements: requirements('NodeClaim', 'What labels of the node must be.'),
    },
    optional: {
      taints: taints('Taints of the node.'),
      startupTaints: taints(
        'Taints that the node has at launch and that another component removes.',
      ),
      resources: object('What the machine must have.', {
        optional: { requests: mapOf('The least it must have, by resource.', quantity) },
      }),
      terminationGracePeriod: duration(
        'How long the node may drain at most. Absent: as long as it takes.',
      ),
      expireAfter: defaulting(
        nillableDuration('The age at which the node is replaced. Never: at no age.'),
        '720h',
      ),
    },
    rules: [FIXED],
  }),
  status: object('What has become of the machine.', {
    optional: {
      nodeName: text('The node it became.'),
      providerID: text('The instance: aws:///ZONE/INSTANCE.'),
      imageID: text('The image it started from.'),
      capacity: mapOf('All that it has, as far as known.', quantity),
      allocatable: mapOf('What of it pods may use.', quantity),
      lastPodEventTime: instant('When a pod came to it or went last.'),
      conditions: claimConditions,
    },
  }),
});
