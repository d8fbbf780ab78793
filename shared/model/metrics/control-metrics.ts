import { FAST_S, type Metric } from './metric.ts';

/** Metrics of the controllers: incoming events, errors and durations. */
export const CONTROL_METRICS = {
  karpenter_build_info: {
    kind: 'gauge',
    unit: 'count',
    labels: ['version'],
    cloudWatch: 'none',
    help: 'Always 1; the label says which version runs.',
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
  mortise_unreadable_rows_total: {
    kind: 'counter',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Reads of a row of the state table that this release cannot read; the log names the row.',
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
