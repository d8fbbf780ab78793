import { FAST_S, type Metric } from './metric.ts';

/** Metrics of nodes that leave, by our decision or by EC2's. */
export const DISRUPTION_METRICS = {
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
  mortise_deployment_restarts_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['outcome'],
    cloudWatch: 'none',
    help: 'Tries to restart a Deployment whose pod holds up a drain: `restarted`, `under-way` or `refused`.',
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
    help: 'Messages that were handled, or dropped because they cannot be parsed or arrived too late.',
  },
  karpenter_interruption_instance_status_unhealthy_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['category'],
    cloudWatch: 'one',
    help: "Nodes that EC2's checks found unwell for two minutes, or that it scheduled an event for.",
  },
} as const satisfies Readonly<Record<string, Metric>>;
