import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';

const MINUTE = Duration.minutes(1);
const NAMESPACE = 'Mortise';
/** All functions write under one name, or each figure would be billed once per function. */
const SERVICE = 'mortise';

/** A figure that the functions write for the whole cluster. */
export const ownMetric = (cluster: string, metricName: string, statistic = 'Maximum'): Metric =>
  new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { service: SERVICE, cluster },
    period: MINUTE,
    statistic,
  });

/** A figure with a line for each NodePool there ever was: nobody has to name them here. */
export const perNodePool = (
  cluster: string,
  metricName: string,
  statistic: 'Sum' | 'Maximum',
): IMetric =>
  new MathExpression({
    expression: `SEARCH('{${NAMESPACE},cluster,nodepool,service} MetricName="${metricName}" cluster="${cluster}"', '${statistic}')`,
    usingMetrics: {},
    label: '',
    period: MINUTE,
  });

/** A figure that EKS publishes for every cluster, each minute and free. */
export const eksMetric = (cluster: string, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/EKS',
    metricName,
    dimensionsMap: { ClusterName: cluster },
    period: MINUTE,
    statistic: 'Maximum',
  });

/** How long the API server's slowest validating hooks take, in seconds. */
export const HOOK_LATENCY = 'apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99';
