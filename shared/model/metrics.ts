/** One kind of figure about our own work. */
export interface Metric {
  /** Counted up, read off, or one of many values whose spread matters. */
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly unit: 'count' | 'seconds' | 'usd-per-hour' | 'cores' | 'bytes';
  readonly labels: readonly string[];
  /**
   * How CloudWatch gets it: as one series for the cluster, as one for each NodePool, or not at all.
   * It bills every distinct set of dimensions, so no other label goes there.
   */
  readonly cloudWatch: 'one' | 'per-pool' | 'none';
  /** Upper bounds; a histogram has them. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

const FAST_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SLOW_S = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
const LIVES_S = [900, 3600, 7200, 14_400, 43_200, 86_400, 259_200, 604_800, 1_209_600, 2_592_000];

/**
 * Every metric there is. Names, labels and meaning are Karpenter's (and controller-runtime's) where
 * they have the figure; `mortise_` marks our own.
 */
export const METRICS = {
  karpenter_build_info: {
    kind: 'gauge',
    unit: 'count',
    labels: ['version'],
    cloudWatch: 'none',
    help: 'Always 1; the label says which version runs.',
  },
  karpenter_nodeclaims_created_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['reason', 'nodepool'],
    cloudWatch: 'per-pool',
    help: 'NodeClaims made: `provisioned`, or the disruption that they replace nodes for.',
  },
  karpenter_nodeclaims_terminated_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['nodepool', 'capacity_type', 'zone'],
    cloudWatch: 'per-pool',
    help: 'NodeClaims whose instance is gone.',
  },
  karpenter_nodeclaims_disrupted_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['reason', 'nodepool', 'capacity_type'],
    cloudWatch: 'per-pool',
    help: 'NodeClaims that began to go, by what made them go.',
  },
  karpenter_nodeclaims_termination_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['nodepool'],
    cloudWatch: 'one',
    buckets: SLOW_S,
    help: 'From the deletion of a NodeClaim until its instance is gone.',
  },
  karpenter_nodeclaims_instance_termination_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['nodepool'],
    cloudWatch: 'none',
    buckets: SLOW_S,
    help: 'From the call that ends an instance until it is gone.',
  },
  karpenter_nodes_created_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['nodepool', 'zone'],
    cloudWatch: 'none',
    help: 'Nodes that registered.',
  },
  karpenter_nodes_terminated_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['nodepool', 'zone'],
    cloudWatch: 'none',
    help: 'Nodes that had registered and are gone.',
  },
  karpenter_nodes_drained_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['nodepool'],
    cloudWatch: 'none',
    help: 'Nodes that were drained to their end.',
  },
  karpenter_nodes_lifetime_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['nodepool'],
    cloudWatch: 'none',
    buckets: LIVES_S,
    help: 'From the NodeClaim to the end of its node.',
  },
  operator_nodeclaim_status_condition_transition_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['type', 'status'],
    cloudWatch: 'none',
    buckets: SLOW_S,
    help: 'How long NodeClaims took to be Launched, then Registered, then Initialized.',
  },
  mortise_nodeclaims_ready_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['nodepool'],
    cloudWatch: 'one',
    buckets: SLOW_S,
    help: 'From the NodeClaim until its node takes pods.',
  },
  operator_nodeclaim_status_condition_count: {
    kind: 'gauge',
    unit: 'count',
    labels: ['type', 'status'],
    cloudWatch: 'none',
    help: 'NodeClaims by condition.',
  },
  mortise_nodeclaims_starting: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'NodeClaims whose node does not take pods yet.',
  },
  mortise_nodeclaims_starting_oldest_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    labels: [],
    cloudWatch: 'one',
    help: 'How long the oldest of them has been starting.',
  },
  karpenter_cluster_state_node_count: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Nodes of the cluster, of whatever kind.',
  },
  karpenter_cluster_state_synced: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: '1 if the cluster could be read the last time, else 0.',
  },
  karpenter_nodepools_usage: {
    kind: 'gauge',
    unit: 'count',
    labels: ['nodepool', 'resource_type'],
    cloudWatch: 'none',
    help: 'What the nodes of a NodePool add up to: cpu in cores, memory in bytes, nodes.',
  },
  karpenter_nodepools_limit: {
    kind: 'gauge',
    unit: 'count',
    labels: ['nodepool', 'resource_type'],
    cloudWatch: 'none',
    help: 'What they may add up to; no series where there is no limit.',
  },
  karpenter_nodepools_cost_total: {
    kind: 'gauge',
    unit: 'usd-per-hour',
    labels: ['nodepool'],
    cloudWatch: 'per-pool',
    help: 'What the instances of a NodePool cost in an hour, at the price of their launch.',
  },
  karpenter_scheduler_queue_depth: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Pods without a node that a new node could serve.',
  },
  mortise_pods_pending_oldest_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    labels: [],
    cloudWatch: 'one',
    help: 'How long the oldest of them has been waiting.',
  },
  karpenter_scheduler_unschedulable_pods_count: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Pods that the last plan found no place for.',
  },
  karpenter_scheduler_scheduling_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: [],
    cloudWatch: 'one',
    buckets: FAST_S,
    help: 'From the snapshot to the plan.',
  },
  karpenter_voluntary_disruption_decisions_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['decision', 'reason'],
    cloudWatch: 'one',
    help: 'Commands that were decided on: `delete` or `replace`.',
  },
  karpenter_voluntary_disruption_decision_evaluation_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: [],
    cloudWatch: 'none',
    buckets: FAST_S,
    help: 'From the snapshot to the verdict on every node.',
  },
  karpenter_voluntary_disruption_drift_backoffs_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['nodepool'],
    cloudWatch: 'none',
    help: 'How often a NodePool was let rest, for its drifted nodes could not be replaced.',
  },
  karpenter_nodepools_drift_backoff_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    labels: ['nodepool'],
    cloudWatch: 'none',
    help: 'For how long it still rests; no series where drift goes on.',
  },
  karpenter_pods_eviction_requests_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['code'],
    cloudWatch: 'one',
    help: 'Answers of the eviction API: 200, 404, 429.',
  },
  karpenter_pods_drained_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['reason'],
    cloudWatch: 'none',
    help: 'Pods that were evicted, or deleted past their budget when the deadline came.',
  },
  karpenter_interruption_received_messages_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['message_type'],
    cloudWatch: 'one',
    help: 'Notices of EC2 and AWS Health.',
  },
  karpenter_interruption_message_queue_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: [],
    cloudWatch: 'one',
    buckets: FAST_S,
    help: 'From the event to its handling.',
  },
  karpenter_interruption_deleted_messages_total: {
    kind: 'counter',
    unit: 'count',
    labels: [],
    cloudWatch: 'none',
    help: 'Messages that were answered, or let go because nobody can read them or it is too late.',
  },
  karpenter_interruption_instance_status_unhealthy_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['category'],
    cloudWatch: 'one',
    help: "Nodes that EC2's checks found unwell for two minutes, or that it scheduled an event for.",
  },
  karpenter_cloudprovider_instance_type_cpu_cores: {
    kind: 'gauge',
    unit: 'cores',
    labels: ['instance_type'],
    cloudWatch: 'none',
    help: 'Processors of each type that a NodePool can have.',
  },
  karpenter_cloudprovider_instance_type_memory_bytes: {
    kind: 'gauge',
    unit: 'bytes',
    labels: ['instance_type'],
    cloudWatch: 'none',
    help: 'Memory that a node of the type shows to its kubelet, as far as it is known or reckoned.',
  },
  karpenter_cloudprovider_instance_type_offering_available: {
    kind: 'gauge',
    unit: 'count',
    labels: ['instance_type', 'capacity_type', 'zone'],
    cloudWatch: 'none',
    help: '1 for what a NodePool could launch now, 0 for what EC2 has just had none of.',
  },
  karpenter_cloudprovider_instance_type_offering_price_estimate: {
    kind: 'gauge',
    unit: 'usd-per-hour',
    labels: ['instance_type', 'capacity_type', 'zone'],
    cloudWatch: 'none',
    help: 'What such a node is reckoned to cost in an hour.',
  },
  karpenter_cloudprovider_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['method'],
    cloudWatch: 'none',
    buckets: FAST_S,
    help: 'How long EC2 took for what we asked.',
  },
  karpenter_cloudprovider_errors_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['method', 'error'],
    cloudWatch: 'one',
    help: 'Calls that failed for another cause than a lack of capacity.',
  },
  karpenter_cloudprovider_instance_launch_failures_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['capacity_type', 'zone', 'zone_id', 'reason'],
    cloudWatch: 'one',
    help: 'What EC2 did not launch: for want of capacity, or for another cause. No zone: EC2 named none.',
  },
  karpenter_cloudprovider_instance_termination_failures_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['zone', 'zone_id'],
    cloudWatch: 'none',
    help: 'Instances that EC2 refused to end; what a zonal shift leaves alone is not among them.',
  },
  mortise_zonal_shift_active: {
    kind: 'gauge',
    unit: 'count',
    labels: ['zone'],
    cloudWatch: 'none',
    help: '1 for each zone that the cluster is shifted away from; no series otherwise.',
  },
  mortise_hooks_withdrawn: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: '1 while hooks are withdrawn and the cluster is polled; no series otherwise.',
  },
  mortise_sweeps_total: {
    kind: 'counter',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Sweeps of the function that got as far as the cluster, whatever failed on the way.',
  },
  leader_election_master_status: {
    kind: 'gauge',
    unit: 'count',
    labels: ['name'],
    cloudWatch: 'none',
    help: '1 while this process owns the cluster, 0 on stand-by.',
  },
  workqueue_depth: {
    kind: 'gauge',
    unit: 'count',
    labels: ['name'],
    cloudWatch: 'none',
    help: 'Hints that wait and are due.',
  },
  workqueue_queue_duration_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['name'],
    cloudWatch: 'none',
    buckets: FAST_S,
    help: 'How long a hint waited after it was due.',
  },
  controller_runtime_reconcile_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['controller', 'result'],
    cloudWatch: 'none',
    help: 'Hints that were worked: `success` or `error`.',
  },
  controller_runtime_reconcile_errors_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['controller'],
    cloudWatch: 'one',
    help: 'Hints whose work failed, and was or will be tried again.',
  },
  controller_runtime_reconcile_time_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['controller'],
    cloudWatch: 'none',
    buckets: FAST_S,
    help: 'How long one took.',
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

/** The names of one kind of metric. */
export type MetricOf<K extends Metric['kind']> = {
  [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never;
}[MetricName];

/** A value for each label of a metric, and for nothing else. */
export type MetricLabels<N extends MetricName> = Readonly<
  Record<(typeof METRICS)[N]['labels'][number], string>
>;
