import {
  type CloudWatchClient,
  type Dimension,
  GetMetricStatisticsCommand,
} from '@aws-sdk/client-cloudwatch';
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
  const duration: Metric = {
    ...ofCluster,
    name: 'apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99',
    statistic: 'Maximum',
  };
  const counted: Metric = {
    ...ofCluster,
    name: 'apiserver_admission_webhook_request_total_VALIDATING',
    statistic: 'Sum',
  };
  const received: Metric = {
    namespace: 'AWS/Lambda',
    name: 'Invocations',
    dimension: { Name: 'FunctionName', Value: intakeFunction },
    statistic: 'Sum',
  };

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
    return new Map(
      Datapoints.map((point) => [point.Timestamp?.getTime() ?? 0, point[statistic] ?? 0]),
    );
  }

  return {
    async since(from, until) {
      const [seconds, counts, receipts] = await Promise.all(
        [duration, counted, received].map((metric) => readByMinute(metric, from, until)),
      );
      const minutes = new Set([seconds, counts, receipts].flatMap((it) => [...(it?.keys() ?? [])]));
      return [...minutes]
        .toSorted((a, b) => a - b)
        .map((at): CallMinute => {
          const p99 = seconds?.get(at);
          return {
            at,
            ...(p99 !== undefined && { p99Ms: p99 * SECOND_MS }),
            ...toField('counted', counts?.get(at)),
            ...toField('received', receipts?.get(at)),
          };
        });
    },
  };
}

const toField = (
  name: 'counted' | 'received',
  value: number | undefined,
): Partial<Pick<CallMinute, 'counted' | 'received'>> =>
  value === undefined ? {} : { [name]: value };
