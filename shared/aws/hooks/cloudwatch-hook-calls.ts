import { type CloudWatchClient, type Dimension, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { CallMinute, HookCalls } from '../../ports/cluster-setup.ts';

export interface HookCallsSettings {
  readonly cluster: string;
  /** The name of the function that the webhooks call. */
  readonly intakeFunction: string;
}

interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimension: Dimension;
  readonly statistic: 'Sum' | 'Maximum';
}

/**
 * Reads metrics that EKS and Lambda publish for free. GetMetricStatistics has a million free
 * requests a month; GetMetricData is never free.
 *
 * @see EKS user guide, "Basic metrics in Amazon CloudWatch": clusters from 1.28 on
 */
export function cloudWatchHookCalls(
  cloudWatch: CloudWatchClient,
  { cluster, intakeFunction }: HookCallsSettings,
): HookCalls {
  const ofCluster = { namespace: 'AWS/EKS', dimension: { Name: 'ClusterName', Value: cluster } };
  const ofIntake = {
    namespace: 'AWS/Lambda',
    dimension: { Name: 'FunctionName', Value: intakeFunction },
    statistic: 'Sum',
  } as const;
  const metrics = {
    p99Seconds: {
      ...ofCluster,
      name: 'apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99',
      statistic: 'Maximum',
    },
    counted: {
      ...ofCluster,
      name: 'apiserver_admission_webhook_request_total_VALIDATING',
      statistic: 'Sum',
    },
    received: { ...ofIntake, name: 'Invocations' },
    errors: { ...ofIntake, name: 'Errors' },
    throttles: { ...ofIntake, name: 'Throttles' },
  } satisfies Readonly<Record<string, Metric>>;

  async function readByMinute(
    { namespace, name, dimension, statistic }: Metric,
    from: EpochMs,
    until: EpochMs,
  ): Promise<ReadonlyMap<EpochMs, number>> {
    const { Datapoints = [] } = await cloudWatch.send(
      new GetMetricStatisticsCommand({
        Namespace: namespace,
        MetricName: name,
        Dimensions: [dimension],
        StartTime: new Date(from),
        EndTime: new Date(until),
        Period: MINUTE_MS / SECOND_MS,
        Statistics: [statistic],
      }),
    );
    return new Map(Datapoints.map((point) => [point.Timestamp?.getTime() ?? 0, point[statistic] ?? 0]));
  }

  return {
    async since(from, until) {
      const [p99Seconds, counted, received, errors, throttles] = await Promise.all([
        readByMinute(metrics.p99Seconds, from, until),
        readByMinute(metrics.counted, from, until),
        readByMinute(metrics.received, from, until),
        readByMinute(metrics.errors, from, until),
        readByMinute(metrics.throttles, from, until),
      ]);
      const measured = [p99Seconds, counted, received, errors, throttles];
      const minutes = new Set(measured.flatMap((values) => [...values.keys()]));
      return [...minutes]
        .toSorted((a, b) => a - b)
        .map((at): CallMinute => {
          const p99 = p99Seconds.get(at);
          const failed = (errors.get(at) ?? 0) + (throttles.get(at) ?? 0);
          return {
            at,
            ...(p99 !== undefined && { p99Ms: p99 * SECOND_MS }),
            ...toField('counted', counted.get(at)),
            ...toField('received', received.get(at)),
            ...(failed > 0 && { failed }),
          };
        });
    },
  };
}

const toField = (
  name: 'counted' | 'received',
  value: number | undefined,
): Partial<Pick<CallMinute, 'counted' | 'received'>> => (value === undefined ? {} : { [name]: value });
