import { type Metric, SLOW_S } from './metric.ts';

const DURATION = {
  kind: 'histogram',
  unit: 'seconds',
  labels: [],
  cloudWatch: 'none',
  buckets: SLOW_S,
} as const satisfies Omit<Metric, 'help'>;

const CURRENT = {
  kind: 'gauge',
  unit: 'seconds',
  labels: ['name', 'namespace'],
  cloudWatch: 'none',
} as const satisfies Omit<Metric, 'help'>;

/** Karpenter tells pods with device claims apart where it measures bindings. */
const BOUND = { ...DURATION, labels: ['dynamic_resources'] } as const;
const UNBOUND = { ...CURRENT, labels: [...CURRENT.labels, 'dynamic_resources'] } as const;

/** Metrics of single pods, and of how long pods take to start. */
export const POD_METRICS = {
  karpenter_pods_state: {
    kind: 'gauge',
    unit: 'count',
    labels: [
      'name',
      'namespace',
      'owner',
      'node',
      'scheduled',
      'nodepool',
      'zone',
      'arch',
      'capacity_type',
      'instance_type',
      'phase',
      'ready',
      'managed',
    ],
    cloudWatch: 'none',
    help: 'Always 1; the labels describe a pod and its node.',
  },
  karpenter_pods_startup_duration_seconds: {
    kind: 'summary',
    unit: 'seconds',
    labels: [],
    cloudWatch: 'none',
    help: 'From the creation of a pod until all of its containers run.',
  },
  mortise_pods_startup_seconds: {
    ...DURATION,
    help: 'The same as a histogram, which can be added up over processes and long times.',
  },
  karpenter_pods_bound_duration_seconds: {
    ...BOUND,
    help: 'From the creation of a pod until it is bound to a node.',
  },
  karpenter_pods_unstarted_time_seconds: {
    ...CURRENT,
    help: 'The age of a pod whose containers do not run yet.',
  },
  karpenter_pods_unbound_time_seconds: {
    ...UNBOUND,
    help: 'The age of a pod that is not bound to a node yet.',
  },
  karpenter_pods_scheduling_decision_duration_seconds: {
    ...DURATION,
    help: 'From the first observation of a pod until the first plan that considered it.',
  },
  karpenter_pods_provisioning_startup_duration_seconds: {
    ...DURATION,
    help: 'From the first plan with a place for a pod until all of its containers run.',
  },
  karpenter_pods_provisioning_bound_duration_seconds: {
    ...BOUND,
    help: 'From the first plan with a place for a pod until it is bound to a node.',
  },
  karpenter_pods_provisioning_unstarted_time_seconds: {
    ...CURRENT,
    help: 'The time since the first plan with a place for a pod whose containers do not run yet.',
  },
  karpenter_pods_provisioning_unbound_time_seconds: {
    ...UNBOUND,
    help: 'The time since the first plan with a place for a pod that is not bound yet.',
  },
  karpenter_pods_provisioning_scheduling_undecided_time_seconds: {
    ...CURRENT,
    help: 'The time since the first observation of a pod that no plan has considered yet.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
