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
  description: 'A node that was requested: its requirements, its instance and its progress.',
  spec: object('Desired state of the node. It cannot be changed.', {
    required: {
      nodeClassRef: nodeClassRef({ isFixed: false }),
      requirements: requirements('NodeClaim', 'Requirements on the labels of the node.'),
    },
    optional: {
      taints: taints('Taints of the node.'),
      startupTaints: taints('Taints that the node has at launch and that another component removes.'),
      resources: object('Resources that the node must have.', {
        optional: { requests: mapOf('Minimum amounts, by resource.', quantity) },
      }),
      terminationGracePeriod: duration('Maximum duration of a drain. Default: no limit.'),
      expireAfter: defaulting(nillableDuration('The node is deleted at this age. Never: no limit.', '720h'), '720h'),
    },
    rules: [FIXED],
  }),
  status: object('Observed state of the NodeClaim.', {
    optional: {
      nodeName: text('Name of the Node.'),
      providerID: text('Provider ID of the instance: aws:///ZONE/INSTANCE.'),
      imageID: text('ID of the image.'),
      capacity: mapOf('Estimated total resources of the node.', quantity),
      allocatable: mapOf('Estimated resources of the node that pods can use.', quantity),
      lastPodEventTime: instant('Time of the last pod event: a pod was bound to the node, or ended on it.'),
      conditions: claimConditions,
    },
  }),
});
