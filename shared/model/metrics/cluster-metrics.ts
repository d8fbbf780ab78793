import type { Metric } from './metric.ts';

/** Metrics of the cluster and its NodePools. */
export const CLUSTER_METRICS = {
  karpenter_cluster_state_node_count: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Nodes of the cluster, of whatever kind.',
  },
  mortise_nodepools_pods: {
    kind: 'gauge',
    unit: 'count',
    labels: [],
    cloudWatch: 'one',
    help: 'Pods that run on nodes of NodePools, those of DaemonSets aside: evictions are counted against them.',
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
} as const satisfies Readonly<Record<string, Metric>>;
