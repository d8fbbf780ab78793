import { FAST_S, type Metric } from './metric.ts';

/** Metrics of pending pods and of the plans for them. */
export const SCHEDULING_METRICS = {
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
    help: 'How long the oldest of them has been waiting, apart from pods that wait for the hours of a NodePool.',
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
  mortise_plans_unfinished_total: {
    kind: 'counter',
    unit: 'count',
    labels: [],
    cloudWatch: 'none',
    help: 'Plans that ended their process: by an error, its time limit or its memory limit.',
  },
  mortise_pods_set_aside: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'none',
    help: 'Pods that the last plan left out, because planning them ended the planner.',
  },
  mortise_provisioning_paused: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'none',
    help: '1 while no pod is planned, because plans end the planner even without pods.',
  },
  mortise_launches_capped_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['cap'],
    cloudWatch: 'none',
    help: 'Times that a cap of the cluster held nodes back: `launchesPerMinute`, `maxHourlyUsd` or `maxNodes`.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
