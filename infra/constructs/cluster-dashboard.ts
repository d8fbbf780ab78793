import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface ClusterDashboardProps {
  readonly cluster: string;
  readonly functions: readonly IFunction[];
  readonly queues: readonly Queue[];
  readonly deadLetters: readonly Queue[];
}

const MINUTE = Duration.minutes(1);
const HOOK_LATENCY = 'apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99';

/** Who waits, what runs, and what our hooks cost the API server. */
export class ClusterDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ClusterDashboardProps) {
    const { cluster, functions, queues, deadLetters } = props;
    super(scope, id, {
      widgets: [
        [
          graph('Pods without a node', [eks(cluster, 'scheduler_pending_pods_UNSCHEDULABLE')]),
          graph('Age of the oldest hint, seconds', queues.map(ageOf)),
          graph('Hints given up', deadLetters.map(depthOf)),
        ],
        [
          graph(
            'Runs',
            functions.map((fn) => fn.metricInvocations({ period: MINUTE })),
          ),
          graph(
            'Failures',
            functions.map((fn) => fn.metricErrors({ period: MINUTE })),
          ),
          graph('Slowest run, milliseconds', functions.map(slowestOf)),
        ],
        [
          graph('Slowest hooks of the API server, seconds', [eks(cluster, HOOK_LATENCY)]),
          graph('Requests the API server refused', [eks(cluster, 'apiserver_request_total_429')]),
        ],
      ],
    });
  }
}

const graph = (title: string, metrics: IMetric[]): GraphWidget =>
  new GraphWidget({ title, left: metrics, width: 8, leftYAxis: { min: 0 } });

/** EKS publishes these for every cluster, each minute and free. */
const eks = (cluster: string, metricName: string): IMetric =>
  new Metric({
    namespace: 'AWS/EKS',
    metricName,
    dimensionsMap: { ClusterName: cluster },
    period: MINUTE,
    statistic: 'Maximum',
  });

const ageOf = (queue: Queue): IMetric =>
  queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' });

const depthOf = (queue: Queue): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' });

const slowestOf = (fn: IFunction): IMetric =>
  fn.metricDuration({ period: MINUTE, statistic: 'Maximum' });
