import type { Metric } from './metric.ts';

/** The labels of Karpenter that dashboards group by: each label lengthens every series. */
const NODE_LABELS = [
  'node_name',
  'nodepool',
  'managed',
  'arch',
  'os',
  'capacity_type',
  'instance_category',
  'instance_family',
  'instance_size',
  'instance_type',
  'region',
  'zone',
] as const;

const PER_NODE = {
  kind: 'gauge',
  unit: 'count',
  labels: [...NODE_LABELS, 'resource_type'],
  cloudWatch: 'none',
} as const satisfies Omit<Metric, 'help'>;

/** Metrics of what each node offers and what pods request of it. */
export const RESOURCE_METRICS = {
  karpenter_nodes_allocatable: {
    ...PER_NODE,
    help: 'What pods can request of a node: cpu in cores, memory in bytes.',
  },
  karpenter_nodes_system_overhead: {
    ...PER_NODE,
    help: 'The capacity of a node that pods cannot request.',
  },
  karpenter_nodes_total_pod_requests: {
    ...PER_NODE,
    help: 'Requests of the pods that are bound to a node, those of DaemonSets included.',
  },
  karpenter_nodes_total_daemon_requests: {
    ...PER_NODE,
    help: 'Requests of the DaemonSet pods that are bound to a node.',
  },
  karpenter_nodes_current_lifetime_seconds: {
    kind: 'gauge',
    unit: 'seconds',
    labels: NODE_LABELS,
    cloudWatch: 'none',
    help: 'How old a node is.',
  },
  karpenter_cluster_utilization_percent: {
    kind: 'gauge',
    unit: 'percent',
    labels: ['resource_type'],
    cloudWatch: 'none',
    help: 'Requests of bound pods, as a share of what all nodes offer.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
