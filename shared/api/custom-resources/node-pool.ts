import { customKind, type SpecOf } from '../schema/custom-kind.ts';
import { defaulting, int32, int64, mapOf, object, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { AGE_PATH, conditions, READY_PATH } from './conditions.ts';
import { disruption } from './disruption.ts';
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

const metadata = object('What the nodes carry beside what is put on every node.', {
  optional: {
    labels: mapOf('Labels of the nodes.', labelValue('Value of the label.'), {
      maxProperties: 100,
      isAtomic: true,
      rules: labelRules,
    }),
    annotations: mapOf('Annotations of the nodes.', text('Value of the annotation.')),
  },
});

const nodeSpec = object('What the nodes are like.', {
  required: {
    nodeClassRef: nodeClassRef({ isFixed: true }),
    requirements: requirements(
      'NodePool',
      'What labels of the nodes must be: instance types, zones, capacity types and labels of your own. An empty list leaves everything open.',
    ),
  },
  optional: {
    taints: taints('Taints of the nodes: only pods that tolerate them run there.'),
    startupTaints: taints(
      'Taints that nodes have at launch and that another component removes, such as a network agent. Pods need not tolerate them.',
    ),
    terminationGracePeriod: duration(
      'How long a node may drain at most. When it has passed, pods go whatever their budgets and annotations say. Absent: as long as it takes.',
    ),
    expireAfter: defaulting(
      nillableDuration('The age at which a node is replaced. Never: at no age.'),
      '720h',
    ),
  },
});

const spec = object('Which nodes may be launched for pods, how many, and when they go again.', {
  required: {
    template: object('Every node of the pool is made like this.', {
      required: { spec: nodeSpec },
      optional: { metadata },
    }),
  },
  optional: {
    weight: int32('Pools of higher weight are tried first; absent, the weight is 0.', {
      minimum: 1,
      maximum: 100,
    }),
    replicas: int64(
      'Keeps exactly so many nodes, whatever pods ask for. Alpha: needs the feature gate StaticCapacity.',
      { minimum: 0 },
    ),
    limits: mapOf(
      'The most that all nodes of the pool may have together, by resource; "nodes" counts them. A resource that is not named is not limited.',
      quantity,
    ),
    disruption: defaulting(disruption, { consolidateAfter: '0s' }),
  },
  rules: [STAYS_STATIC, STATIC_LIMITS, STATIC_WEIGHT],
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
  description: 'The nodes that a cluster may have of one sort, and the rules they live by.',
  spec,
  status: object('What has become of the pool.', {
    optional: {
      resources: mapOf('What the nodes of the pool have together.', quantity),
      nodes: defaulting(int64('How many nodes the pool has.'), 0),
      nodeClassObservedGeneration: int64('The generation of the class that was seen last.'),
      conditions,
    },
  }),
  scale: { specPath: '.spec.replicas', statusPath: '.status.nodes' },
});

export type NodePoolSpec = SpecOf<typeof NODE_POOL>;
