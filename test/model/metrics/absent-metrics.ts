/** Metrics of Karpenter's reference that Mortise does not serve, with the reason. */
interface AbsentMetrics {
  readonly names: readonly string[];
  readonly why: string;
}

const withEndings = (stem: string, endings: readonly string[]): readonly string[] =>
  endings.map((ending) => `${stem}_${ending}`);

const CONDITION_ENDINGS = ['transitions_total', 'transition_seconds', 'current_status_seconds', 'count'];
const TERMINATION_ENDINGS = ['duration_seconds', 'current_time_seconds'];

export const ABSENT_METRICS: readonly AbsentMetrics[] = [
  {
    names: ['karpenter_consolidation_moves_total', 'karpenter_consolidation_score'],
    why: 'They describe how Karpenter weighs moves of NodePools with the policy Balanced. `mortise explain` has the saving and the price of a move.',
  },
  {
    names: ['karpenter_ec2nodeclasses_userdata_bytes'],
    why: 'The condition `ValidationSucceeded` of an EC2NodeClass is False if its user data is too large.',
  },
  {
    names: ['karpenter_nodepools_cost_tracker_errors_total'],
    why: '`karpenter_nodepools_cost_total` is computed from the records of NodeClaims, and no tracker can fail.',
  },
  {
    names: ['karpenter_nodepools_nodes_consuming_budgets'],
    why: 'Each decision counts such nodes anew. `mortise explain` names them beside `karpenter_nodepools_allowed_disruptions`.',
  },
  {
    names: ['nodes_with_pending_annotation_writes', 'pod_annotation_writes_total'].map(
      (name) => `karpenter_pod_deletion_cost_${name}`,
    ),
    why: 'Use `mortise_pod_deletion_costs_total`.',
  },
  {
    names: ['karpenter_pods_disruption_initiated_total'],
    why: 'Use `karpenter_pods_drained_total`, which counts evictions that happened.',
  },
  {
    names: ['karpenter_scheduler_pending_pods_by_effective_zone_count'],
    why: 'A plan chooses zones for all pods of a class. `mortise explain --pending` has the zones of a pod.',
  },
  {
    names: ['karpenter_voluntary_disruption_decisions_by_nodepool_total'],
    why: 'Use `karpenter_nodeclaims_disrupted_total`, which has NodePool and reason.',
  },
  {
    names: ['karpenter_voluntary_disruption_failed_validations_total'],
    why: 'The Event `ConsolidationRejected` is written for each of them.',
  },
  {
    names: ['karpenter_voluntary_disruption_terminate_first_decisions_total'],
    why: 'The Event `DisruptionTerminating` of such a node says that no replacement could come first.',
  },
  {
    names: withEndings('karpenter_nodes_total', ['pod_limits', 'daemon_limits']),
    why: 'No decision reads limits, so they are not kept. kube-state-metrics has them: `kube_pod_container_resource_limits`.',
  },
  {
    names: ['nodepool', 'ec2nodeclass'].flatMap((kind) =>
      withEndings(`operator_${kind}_termination`, TERMINATION_ENDINGS),
    ),
    why: 'These kinds have nothing to end but their finalizer.',
  },
  {
    names: [
      ...withEndings('operator_termination', TERMINATION_ENDINGS),
      ...withEndings('operator_status_condition', CONDITION_ENDINGS),
    ],
    why: 'Deprecated by Karpenter: use the names with a kind, such as `operator_nodepool_status_condition_count`.',
  },
  {
    names: ['karpenter_nodes_eviction_requests_total'],
    why: 'Its newer name is `karpenter_pods_eviction_requests_total`.',
  },
  {
    names: ['karpenter_nodeclaims_unhealthy_disrupted_total'],
    why: 'Counted in `karpenter_nodeclaims_disrupted_total` by its reason; unwell instances in `karpenter_interruption_instance_status_unhealthy_total`.',
  },
  {
    names: ['karpenter_voluntary_disruption_queue_failures_total'],
    why: 'There is no queue of commands: a move that fails is decided again from what is observed.',
  },
  {
    names: ['karpenter_voluntary_disruption_consolidation_timeouts_total'],
    why: 'Decisions stop after a number of steps, not after a time, so that the same snapshot always gives the same plan.',
  },
  {
    names: ['karpenter_scheduler_unfinished_work_seconds', 'karpenter_cluster_state_unsynced_time_seconds'],
    why: 'A decision is one computation over one snapshot. The alarm on `karpenter_cluster_state_synced` reports a cluster that cannot be read.',
  },
  {
    names: ['karpenter_scheduler_ignored_pods_count'],
    why: '`mortise explain --pending` lists such pods with the reason `pod-not-considered`.',
  },
  {
    names: withEndings('karpenter_cloudprovider_batcher', ['batch_time_seconds', 'batch_size']),
    why: 'Calls wait at most 10 ms for others; the requests are in `karpenter_cloudprovider_duration_seconds`.',
  },
  {
    names: [
      ...withEndings('controller_runtime', [
        'terminal_reconcile_errors_total',
        'reconcile_timeouts_total',
        'reconcile_panics_total',
        'max_concurrent_reconciles',
        'active_workers',
      ]),
      ...withEndings('workqueue', [
        'work_duration_seconds',
        'unfinished_work_seconds',
        'retries_total',
        'longest_running_processor_seconds',
        'adds_total',
      ]),
    ],
    why: 'They describe the workers of a Go program. `controller_runtime_reconcile_total`, `…_errors_total`, `…_time_seconds` and `workqueue_depth` say the same of the hints of `mortise controller`; queues of the functions have their own metrics in CloudWatch (`AWS/SQS`, `AWS/Lambda`).',
  },
  {
    names: [
      ...withEndings('client_go_request', ['total', 'duration_seconds']),
      'rest_client_requests_total',
      ...withEndings('aws_sdk_go_request', [
        'total',
        'retry_count',
        'duration_seconds',
        'attempt_total',
        'attempt_duration_seconds',
      ]),
    ],
    why: 'Libraries of Go. `karpenter_cloudprovider_duration_seconds` and `karpenter_cloudprovider_errors_total` measure the calls of AWS; the audit log and the metrics of the API server those of Kubernetes.',
  },
  {
    names: ['leader_election_slowpath_total'],
    why: 'The lease is renewed in one way only.',
  },
  {
    names: [
      ...withEndings('operator_capacitybuffer_status_condition', CONDITION_ENDINGS),
      ...withEndings('operator_capacitybuffer_termination', TERMINATION_ENDINGS),
    ],
    why: 'The conditions of CapacityBuffers are on their objects: `mortise explain` names what a buffer waits for.',
  },
];

/** Labels of Karpenter that Mortise's metric of the same name does not have, as `metric{label}`. */
export const ABSENT_LABELS: readonly AbsentMetrics[] = [
  {
    names: ['commit', 'goarch', 'goversion'].map((label) => `karpenter_build_info{${label}}`),
    why: 'Mortise is no program of Go. `version` names the commit of a release.',
  },
  {
    names: ['duration_seconds', 'errors_total'].flatMap((ending) => [
      `karpenter_cloudprovider_${ending}{controller}`,
      `karpenter_cloudprovider_${ending}{provider}`,
    ]),
    why: 'The controllers share the calls of EC2, which is the only provider.',
  },
  {
    names: ['karpenter_cloudprovider_errors_total{nodepool}'],
    why: 'One request launches nodes of several NodePools. The Event of a NodePool says why its launches fail.',
  },
  {
    names: ['queue_depth', 'scheduling_duration_seconds', 'unschedulable_pods_count'].map(
      (ending) => `karpenter_scheduler_${ending}{controller}`,
    ),
    why: 'Plans for pending pods alone are measured: `provisioner` in Karpenter. Plans of removals are in `karpenter_voluntary_disruption_decision_evaluation_duration_seconds`.',
  },
  {
    names: ['karpenter_scheduler_queue_depth{scheduling_id}'],
    why: 'Its value is new in each run, so that no query can name it.',
  },
  {
    names: ['consolidation_type', 'reason'].map(
      (label) => `karpenter_voluntary_disruption_decision_evaluation_duration_seconds{${label}}`,
    ),
    why: 'One computation judges each node for all reasons.',
  },
  {
    names: ['nodeclaim', 'node', 'nodepool', 'ec2nodeclass'].flatMap((kind) => [
      ...['count', 'current_status_seconds'].map((ending) => `operator_${kind}_status_condition_${ending}{namespace}`),
      ...(kind.startsWith('nodec') || kind === 'node'
        ? [`operator_${kind}_termination_current_time_seconds{namespace}`]
        : []),
    ]),
    why: 'These kinds have no namespace: the label is always empty, and Prometheus leaves it out.',
  },
  {
    names: ['workqueue_depth{controller}', 'workqueue_queue_duration_seconds{controller}', 'workqueue_depth{priority}'],
    why: '`name` has the same value as `controller`; hints have no priorities.',
  },
];
