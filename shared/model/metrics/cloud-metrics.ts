import { FAST_S, type Metric } from './metric.ts';

/** Metrics of EC2: capacity, prices and API calls. */
export const CLOUD_METRICS = {
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
    help: '1 for offerings that a NodePool can launch now, 0 for those for which EC2 recently had no capacity.',
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
    help: 'Offerings that EC2 did not launch, by cause: no capacity, or another one. The zone is empty if EC2 named none.',
  },
  karpenter_cloudprovider_instance_termination_failures_total: {
    kind: 'counter',
    unit: 'count',
    labels: ['zone', 'zone_id'],
    cloudWatch: 'none',
    help: 'Instances that EC2 refused to end; what a zonal shift leaves alone is not among them.',
  },
} as const satisfies Readonly<Record<string, Metric>>;
