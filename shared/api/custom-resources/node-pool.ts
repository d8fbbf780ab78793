import { customKind, type SpecOf } from '../schema/custom-kind.ts';
import { defaulting, int32, int64, listOf, mapOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { AGE_PATH, conditions, READY_PATH } from './conditions.ts';
import {
  FORMER_CONSOLIDATION_POLICIES,
  FORMER_DISRUPTION_FIELDS,
  FORMER_LIMITS,
  FORMER_NODE_FIELDS,
  FORMER_POOL_FIELDS,
  FORMER_TEMPLATE_FIELDS,
} from './former-fields.ts';
import { labelRules } from './label-rules.ts';
import { nodeClassRef } from './node-class-ref.ts';
import { requirements } from './requirements.ts';
import { duration, labelValue, nillableDuration, quantity } from './scalars.ts';
import { taints } from './taints.ts';

const WINDOW: Rule = {
  id: 'NP-04',
  cel: 'has(self.schedule) == has(self.duration)',
  why: 'schedule and duration go together',
  fix: 'add the other, or take both out',
};

const budget = object('How many nodes of the pool may be disrupted at once.', {
  optional: {
    nodes: defaulting(
      text('A count, or a percentage of the pool\'s nodes rounded up: "5", "10%".', {
        pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
        wording: {
          noun: 'number of nodes',
          grammar: 'a whole number, or a percentage from 0% to 100%',
          example: '"10%"',
        },
      }),
      '10%',
    ),
    reasons: listOf(
      'The disruption reasons that the budget limits. Default: all. An empty list: none.',
      oneOf('A reason to disrupt a node.', ['Underutilized', 'Empty', 'Drifted', 'Unhealthy']),
      { maxItems: 50, listType: 'set' },
    ),
    schedule: text(
      'When the budget becomes active, as a cron schedule in UTC or in the time zone of a prefix: "0 9 * * mon-fri", "CRON_TZ=Europe/Berlin 0 9 * * mon-fri", "@daily". Default: always active.',
      {
        // The pattern of macros is open at the end, like Karpenter's: `@dailyx` is stored too, and
        // then allows no disruption.
        pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
        wording: {
          noun: 'schedule',
          grammar: 'five cron fields in UTC, or after CRON_TZ=ZONE, or @hourly, @daily, @weekly, @monthly, @yearly',
          example: '"0 9 * * mon-fri"',
        },
      },
    ),
    duration: text('How long the budget is active after each time of the schedule: 8h, 1h30m.', {
      pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
      wording: {
        noun: 'duration',
        grammar: 'whole hours, then minutes, like 10m, 8h or 8h30m',
        example: '10m',
      },
    }),
  },
  rules: [WINDOW],
});

/** When and how fast nodes of a pool may be removed or replaced. */
const disruption = object('When and how fast nodes of the pool are removed or replaced.', {
  optional: {
    consolidateAfter: defaulting(
      nillableDuration(
        'A node is considered for consolidation once no pod was added to it or removed from it for this time. Never: nodes are not consolidated.',
      ),
      '0s',
    ),
    consolidationPolicy: defaulting(
      oneOf(
        'Which nodes are considered for consolidation. WhenEmpty: nodes without pods. WhenEmptyOrUnderutilized: also nodes whose pods run cheaper elsewhere. Balanced: of these, only those whose saving is worth the disruption.',
        ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
        { former: FORMER_CONSOLIDATION_POLICIES },
      ),
      'WhenEmptyOrUnderutilized',
    ),
    budgets: defaulting(
      listOf(
        'How many nodes may be disrupted at once. If several budgets are active, the strictest applies. An empty list sets no limit.',
        budget,
        { maxItems: 50, listType: 'atomic' },
      ),
      [{ nodes: '10%' }],
    ),
  },
  former: FORMER_DISRUPTION_FIELDS,
});

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
