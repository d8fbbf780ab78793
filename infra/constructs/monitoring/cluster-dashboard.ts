import { Duration } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { eksMetric, evictionsPerPodDay, HOOK_LATENCY, ownMetric, perNodePool } from './own-metrics.ts';

export interface ClusterDashboardProps {
  readonly cluster: string;
  readonly functions: readonly IFunction[];
  /** Log groups that report launches, unplaced pods and removals. */
  readonly eventLogs: readonly ILogGroup[];
  readonly queues: readonly Queue[];
  readonly deadLetters: readonly Queue[];
}

const MINUTE = Duration.minutes(1);
const HOUR = Duration.hours(1);

/** Rows are ordered from effects to causes: read from the bottom up, the first row with a problem shows the cause. */
export class ClusterDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ClusterDashboardProps) {
    super(scope, id, {
      defaultInterval: Duration.hours(3),
      widgets: [
        podsThatWait(props),
        nodesAndCost(props),
        launches(props),
        disruption(props),
        churn(props),
        hooks(props),
        ownWork(props),
      ],
    });
  }
}

const podsThatWait = ({ cluster, eventLogs }: ClusterDashboardProps): IWidget[] => [
  graph('Pods that wait for a node', [
    ownMetric(cluster, 'karpenter_scheduler_queue_depth'),
    ownMetric(cluster, 'karpenter_scheduler_unschedulable_pods_count'),
    eksMetric(cluster, 'scheduler_pending_pods_UNSCHEDULABLE'),
  ]),
  graph('Longest wait of a pod, seconds', [ownMetric(cluster, 'mortise_pods_pending_oldest_seconds')]),
  table('Reasons for pods without a place', eventLogs, [
    'filter event.kind = "unplaced"',
    'stats latest(event.pods.0) as pod, count(*) as events by event.text as why',
    'sort events desc',
    'limit 10',
  ]),
];

const nodesAndCost = ({ cluster }: ClusterDashboardProps): IWidget[] => [
  graph('Nodes', [
    ownMetric(cluster, 'karpenter_cluster_state_node_count'),
    ownMetric(cluster, 'mortise_nodeclaims_starting'),
  ]),
  graph('Dollars per hour, by NodePool', [perNodePool(cluster, 'karpenter_nodepools_cost_total', 'Maximum')]),
  graph('From NodeClaim to ready node, seconds', [
    ownMetric(cluster, 'mortise_nodeclaims_ready_seconds', 'p50'),
    ownMetric(cluster, 'mortise_nodeclaims_ready_seconds', 'p99'),
  ]),
];

const launches = ({ cluster, eventLogs }: ClusterDashboardProps): IWidget[] => [
  graph('NodeClaims created, by NodePool', [perNodePool(cluster, 'karpenter_nodeclaims_created_total', 'Sum')]),
  table('Launches by offering', eventLogs, [
    'filter event.kind = "launch"',
    'stats count(*) as launched by event.offering.instanceType as type, event.offering.zone as zone, event.offering.capacityType as capacity',
    'sort launched desc',
    'limit 10',
  ]),
  table('Offerings without capacity', eventLogs, [
    'filter event.kind = "unavailable"',
    'stats count(*) as times by event.offerings.0.instanceType as type, event.offerings.0.zone as zone, event.offerings.0.capacityType as capacity',
    'sort times desc',
    'limit 10',
  ]),
];

const disruption = ({ cluster }: ClusterDashboardProps): IWidget[] => [
  graph('Nodes disrupted, by NodePool', [perNodePool(cluster, 'karpenter_nodeclaims_disrupted_total', 'Sum')]),
  graph('Decisions, EC2 notices, evicted pods', [
    ownMetric(cluster, 'karpenter_voluntary_disruption_decisions_total', 'Sum'),
    ownMetric(cluster, 'karpenter_interruption_received_messages_total', 'Sum'),
    ownMetric(cluster, 'karpenter_pods_drained_total', 'Sum'),
  ]),
  graph('Failed EC2 calls, offerings without capacity', [
    ownMetric(cluster, 'karpenter_cloudprovider_errors_total', 'Sum'),
    ownMetric(cluster, 'karpenter_cloudprovider_instance_launch_failures_total', 'Sum'),
  ]),
];

const churn = ({ cluster }: ClusterDashboardProps): IWidget[] => [
  graph('Evictions per pod and day', [evictionsPerPodDay(cluster)]),
  graph('Lifetime of removed nodes, seconds', [
    ownMetric(cluster, 'karpenter_nodes_lifetime_duration_seconds', 'p50', HOUR),
    ownMetric(cluster, 'karpenter_nodes_lifetime_duration_seconds', 'p10', HOUR),
  ]),
];

const hooks = ({ cluster }: ClusterDashboardProps): IWidget[] => [
  graph('Latency of the slowest webhooks, seconds', [eksMetric(cluster, HOOK_LATENCY)]),
  graph('Requests that the API server throttled (429)', [eksMetric(cluster, 'apiserver_request_total_429')]),
  graph('Cluster synced, webhooks withdrawn (1: yes)', [
    ownMetric(cluster, 'karpenter_cluster_state_synced', 'Minimum'),
    ownMetric(cluster, 'mortise_hooks_withdrawn'),
  ]),
];

const ownWork = ({ cluster, functions, queues, deadLetters }: ClusterDashboardProps): IWidget[] => [
  graph('Age of the oldest hint, seconds; dead letters', [...queues.map(ageOf), ...deadLetters.map(depthOf)]),
  graph('Failures and throttles', [
    ...functions.map((fn) => fn.metricErrors({ period: MINUTE })),
    ...functions.map((fn) => fn.metricThrottles({ period: MINUTE })),
    ownMetric(cluster, 'controller_runtime_reconcile_errors_total', 'Sum'),
  ]),
  graph('Slowest run, milliseconds', functions.map(slowestOf)),
];

const graph = (title: string, metrics: IMetric[]): GraphWidget =>
  new GraphWidget({ title, left: metrics, width: 8, leftYAxis: { min: 0 } });

const table = (title: string, logGroups: readonly ILogGroup[], queryLines: string[]): LogQueryWidget =>
  new LogQueryWidget({
    title,
    logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    queryLines,
    view: LogQueryVisualizationType.TABLE,
    width: 8,
  });

const ageOf = (queue: Queue): IMetric =>
  queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' });

const depthOf = (queue: Queue): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' });

const slowestOf = (fn: IFunction): IMetric => fn.metricDuration({ period: MINUTE, statistic: 'Maximum' });
