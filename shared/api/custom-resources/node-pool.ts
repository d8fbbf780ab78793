import { customKind, type SpecOf } from '../schema/custom-kind.ts';
import { defaulting, int32, int64, mapOf, object, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { AGE_PATH, conditions, READY_PATH } from './conditions.ts';
import { disruption } from './disruption.ts';
import { FORMER_LIMITS, FORMER_NODE_FIELDS, FORMER_POOL_FIELDS, FORMER_TEMPLATE_FIELDS } from './former-fields.ts';
import { labelRules } from './label-rules.ts';
import { nodeClassRef } from './node-class-ref.ts';
import { requirements } from './requirements.ts';
import { duration, labelValue, nillableDuration, quantity } from './scalars.ts';
import { taints } from './taints.ts';

const STAYS_STATIC: Rule = {
  id: 'NP-01',
  cel: 'has(self.replicas) == has(oldSelf.replicas)',
  why: 'a pool of a fixed size stays one, and a growing pool as well',
  fix: 'make a new NodePool',
};

const STATIC_LIMITS: Rule = {
  id: 'NP-02',
  cel: "!has(self.replicas) || !has(self.limits) || self.limits.all(name, name == 'nodes')",
  why: 'with replicas, the one limit there may be is limits.nodes',
  fix: 'keep limits.nodes alone',
  at: '.limits',
};

const STATIC_WEIGHT: Rule = {
  id: 'NP-03',
  cel: '!has(self.replicas) || !has(self.weight)',
  why: 'with replicas, pods do not choose the pool, so it has no weight',
  fix: 'take weight out',
  at: '.weight',
};

const metadata = object('Labels and annotations that the nodes get in addition to those of every node.', {
  optional: {
    labels: mapOf('Labels of the nodes.', labelValue('Value of the label.'), {
      maxProperties: 100,
      isAtomic: true,
      rules: labelRules,
    }),
    annotations: mapOf('Annotations of the nodes.', text('Value of the annotation.')),
  },
});

const nodeSpec = object('Desired state of the nodes.', {
  required: {
    nodeClassRef: nodeClassRef({ isFixed: true }),
    requirements: requirements(
      'NodePool',
      'Requirements on the labels of the nodes: instance types, zones, capacity types and your own labels. An empty list allows everything.',
    ),
  },
  optional: {
    taints: taints('Taints of the nodes: only pods that tolerate them run there.'),
    startupTaints: taints(
      'Taints that nodes have at launch and that another component removes, such as a network agent. Pods need not tolerate them.',
    ),
    terminationGracePeriod: duration(
      'Maximum duration of a drain. After it, the remaining pods are deleted regardless of budgets and annotations. Default: no limit.',
    ),
    expireAfter: defaulting(nillableDuration('A node is replaced at this age. Never: no limit.', '720h'), '720h'),
  },
  former: FORMER_NODE_FIELDS,
});

const spec = object('The nodes that may be launched for pods, their maximum number, and when they are disrupted.', {
  required: {
    template: object('Template of the nodes of the pool.', {
      required: { spec: nodeSpec },
      optional: { metadata },
      former: FORMER_TEMPLATE_FIELDS,
    }),
  },
  optional: {
    weight: int32('Pools with a higher weight are tried first. Default: 0.', {
      minimum: 1,
      maximum: 100,
    }),
    replicas: int64(
      'Keeps exactly this number of nodes, whatever pods request. Alpha: requires the feature gate StaticCapacity.',
      { minimum: 0 },
    ),
    limits: mapOf(
      'Maximum total resources of the nodes of the pool; "nodes" limits their number. Other resources are not limited.',
      quantity,
      { former: FORMER_LIMITS },
    ),
    disruption: defaulting(disruption, { consolidateAfter: '0s' }),
  },
  rules: [STAYS_STATIC, STATIC_LIMITS, STATIC_WEIGHT],
  former: FORMER_POOL_FIELDS,
});

export const NODE_POOL = customKind({
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  singular: 'nodepool',
  scope: 'Cluster',
  shortNames: [],
  categories: ['karpenter'],
  columns: [
    { name: 'NodeClass', type: 'string', path: '.spec.template.spec.nodeClassRef.name' },
    { name: 'Nodes', type: 'string', path: '.status.nodes' },
    { name: 'Ready', type: 'string', path: READY_PATH },
    { name: 'Age', type: 'date', path: AGE_PATH },
    { name: 'Weight', type: 'integer', path: '.spec.weight', isWide: true },
    { name: 'CPU', type: 'string', path: '.status.resources.cpu', isWide: true },
    { name: 'Memory', type: 'string', path: '.status.resources.memory', isWide: true },
  ],
  description: 'Nodes of one kind that a cluster may have: their requirements, limits and disruption rules.',
  spec,
  status: object('Observed state of the pool.', {
    optional: {
      resources: mapOf('Total resources of the nodes of the pool.', quantity),
      nodes: defaulting(int64('Number of nodes of the pool.'), 0),
      nodeClassObservedGeneration: int64('The generation of the NodeClass that was observed last.'),
      conditions,
    },
  }),
  scale: { specPath: '.spec.replicas', statusPath: '.status.nodes' },
});

export type NodePoolSpec = SpecOf<typeof NODE_POOL>;
