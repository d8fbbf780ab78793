import { type DashboardDefinition, type Panel, type Query, SELECTED } from './dashboard.ts';

const quantile = (share: number, histogram: string, by: string, window = '5m'): string =>
  `histogram_quantile(${share}, sum by (${by}) (rate(${histogram}_bucket{${SELECTED}}[${window}])))`;

/** The median and the slowest hundredth. */
const quantiles = (histogram: string, window = '30m'): readonly Query[] => [
  { expr: quantile(0.5, histogram, 'le', window), legend: 'median' },
  { expr: quantile(0.99, histogram, 'le', window), legend: 'slowest 1 %' },
];

const phase = (name: string): Query => ({
  expr: quantile(0.9, `mortise_nodeclaims_${name}_seconds`, 'le', '1h'),
  legend: name.replaceAll('_', ' '),
});

const now = (title: string, description: string, expr: string, unit: Panel['unit']): Panel => ({
  ...{ title, description, unit, kind: 'stat' },
  queries: [{ expr, legend: title }],
});

/** Rows run from what users notice to its causes. */
export const OPERATION_DASHBOARD: DashboardDefinition = {
  uid: 'mortise-operation',
  title: 'Mortise / Operation',
  description: 'Does every pod get its node, and if not, why? Rows are ordered from effects to causes.',
  rows: [
    {
      title: 'Now',
      panels: [
        now(
          'Controllers that own the cluster',
          'Must be 1. The others stand by.',
          `sum(leader_election_master_status{${SELECTED}, name="mortise"})`,
          'short',
        ),
        now(
          'Pods that wait for a node',
          'Pods that a new node could run.',
          `sum(karpenter_scheduler_queue_depth{${SELECTED}})`,
          'short',
        ),
        now(
          'Longest wait of a pod',
          'The alert MortisePodsWait fires at 15 minutes.',
          `max(mortise_pods_pending_oldest_seconds{${SELECTED}})`,
          's',
        ),
        now(
          'Nodes that start',
          'Launched, and not ready for pods yet.',
          `sum(mortise_nodeclaims_starting{${SELECTED}})`,
          'short',
        ),
        now(
          'Drains that do not progress',
          'A pod of the node cannot be evicted.',
          `sum(mortise_nodeclaims_drain_stuck{${SELECTED}})`,
          'short',
        ),
      ],
    },
    {
      title: 'Pods',
      panels: [
        {
          title: 'Pods that wait, and pods without a place',
          description: 'A pod without a place fits no NodePool: mortise explain pod says why.',
          unit: 'short',
          queries: [
            { expr: `sum(karpenter_scheduler_queue_depth{${SELECTED}})`, legend: 'wait' },
            {
              expr: `sum(karpenter_scheduler_unschedulable_pods_count{${SELECTED}})`,
              legend: 'without a place',
            },
          ],
        },
        {
          title: 'From the creation of a pod until it runs',
          description: 'All pods, also those that found a free place at once.',
          unit: 's',
          queries: quantiles('mortise_pods_startup_seconds'),
        },
        {
          title: 'Caps that hold nodes back',
          description: 'Times in five minutes, by cap.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (cap) (increase(mortise_launches_capped_total{${SELECTED}}[5m]))`,
              legend: '{{cap}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Launches',
      panels: [
        {
          title: 'NodeClaims created, by reason',
          description: 'provisioned, or the disruption that they replace nodes for.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `sum by (reason) (increase(karpenter_nodeclaims_created_total{${SELECTED}}[5m]))`,
              legend: '{{reason}}',
            },
          ],
        },
        {
          title: 'Launches that EC2 refused, by reason',
          description: 'InsufficientInstanceCapacity is expected: the next offering is tried.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `sum by (reason) (increase(karpenter_cloudprovider_instance_launch_failures_total{${SELECTED}}[5m]))`,
              legend: '{{reason}}',
            },
          ],
        },
        {
          title: 'Phases of a node, slowest tenth of the hour',
          description: 'Which phase makes nodes slow.',
          unit: 's',
          queries: ['deciding', 'launching', 'registering', 'initializing', 'first_pod'].map(phase),
        },
      ],
    },
    {
      title: 'Disruption',
      panels: [
        {
          title: 'Nodes disrupted, by reason',
          description: 'Voluntary and involuntary.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `sum by (reason) (increase(karpenter_nodeclaims_disrupted_total{${SELECTED}}[5m]))`,
              legend: '{{reason}}',
            },
          ],
        },
        {
          title: 'Nodes that could go, and what budgets allow',
          description: 'Eligible nodes with an allowance of 0 wait for a budget.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (reason) (karpenter_voluntary_disruption_eligible_nodes{${SELECTED}})`,
              legend: '{{reason}}: eligible',
            },
            {
              expr: `sum by (reason) (karpenter_nodepools_allowed_disruptions{${SELECTED}})`,
              legend: '{{reason}}: allowed',
            },
          ],
        },
        {
          title: 'Answers of the eviction API',
          description: '429: a PodDisruptionBudget refuses the eviction for now.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (code) (increase(karpenter_pods_eviction_requests_total{${SELECTED}}[5m]))`,
              legend: '{{code}}',
            },
          ],
        },
        {
          title: 'Notices of EC2',
          description: 'Spot interruptions, rebalance recommendations, changes of state.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (message_type) (increase(karpenter_interruption_received_messages_total{${SELECTED}}[5m]))`,
              legend: '{{message_type}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Controller',
      panels: [
        {
          title: 'Reconcile errors',
          description: 'The log of the controller says why.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (controller) (increase(controller_runtime_reconcile_errors_total{${SELECTED}}[5m]))`,
              legend: '{{controller}}',
            },
          ],
        },
        {
          title: 'Delay of hints, slowest tenth',
          description: 'How long work waits after it is due.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.9, 'workqueue_queue_duration_seconds', 'le, name'),
              legend: '{{name}}',
            },
          ],
        },
        {
          title: 'Errors of EC2',
          description: 'Calls that failed, not for missing capacity.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (method, error) (increase(karpenter_cloudprovider_errors_total{${SELECTED}}[5m]))`,
              legend: '{{method}}: {{error}}',
            },
          ],
        },
        {
          title: 'Time to plan',
          description: 'From the snapshot to the plan.',
          unit: 's',
          queries: quantiles('karpenter_scheduler_scheduling_duration_seconds'),
        },
      ],
    },
  ],
};
