import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';

const MINUTE = Duration.minutes(1);
const HOUR = Duration.hours(1);
const NAMESPACE = 'Mortise';
/**
 * All functions publish under one service name, or each metric would be billed once per function.
 */
const SERVICE = 'mortise';

/** A metric that the functions publish for the whole cluster. */
export const ownMetric = (cluster: string, metricName: string, statistic = 'Maximum', period = MINUTE): Metric =>
  new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { service: SERVICE, cluster },
    period,
    statistic,
  });

/** The rate of each hour, for the pods that ran in it. */
export const evictionsPerPodDay = (cluster: string): IMetric =>
  new MathExpression({
    expression: 'IF(pods > 0, 24 * FILL(evicted, 0) / pods)',
    usingMetrics: {
      evicted: ownMetric(cluster, 'karpenter_pods_drained_total', 'Sum', HOUR),
      pods: ownMetric(cluster, 'mortise_nodepools_pods', 'Average', HOUR),
    },
    label: 'evictions per pod and day',
    period: HOUR,
  });

/** A metric with one line per NodePool, found by search so that pools need not be listed here. */
export const perNodePool = (cluster: string, metricName: string, statistic: 'Sum' | 'Maximum'): IMetric =>
  new MathExpression({
    expression: `SEARCH('{${NAMESPACE},cluster,nodepool,service} MetricName="${metricName}" cluster="${cluster}"', '${statistic}')`,
    usingMetrics: {},
    label: '',
    period: MINUTE,
  });

/** A metric that EKS publishes for every cluster each minute, free of charge. */
export const eksMetric = (cluster: string, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/EKS',
    metricName,
    dimensionsMap: { ClusterName: cluster },
    period: MINUTE,
    statistic: 'Maximum',
  });

/** Latency of the API server's slowest validating webhooks, in seconds. */
export const HOOK_LATENCY = 'apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99';
