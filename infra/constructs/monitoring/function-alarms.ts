import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { ALARM_METRICS } from '../../../shared/model/metrics/alarm-metrics.ts';
import type { AlarmFactory } from './alarm-factory.ts';
import { ownMetric } from './own-metrics.ts';

const MINUTE = Duration.minutes(1);
const MAX_SHARE_PERCENT = ALARM_METRICS.mortise_function_memory_used_percent.above;

export interface FunctionAlarmsProps {
  readonly cluster: string;
  /** Functions by the name that alarms show. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** The functions whose memory depends on the option `size`, with their time limits. */
  readonly sized: readonly { readonly fn: IFunction; readonly timeout: Duration }[];
  readonly deadLetters: Readonly<Record<string, Queue>>;
  /** The age of the oldest message at which a queue counts as stuck. */
  readonly maxAge: readonly { name: string; queue: Queue; age: Duration }[];
}

/**
 * Functions that a schedule calls each hour or less often. Lambda tries a failed call three times,
 * a minute and then two minutes apart, so they never fail in three consecutive minutes.
 */
const HOURLY: ReadonlySet<string> = new Set(['clusterSetup', 'webhookControl', 'catalogRefresh']);
/** Contains the three tries of a call, each up to the timeout of five minutes. */
const ALL_TRIES = Duration.minutes(15);

/** Alarms on the functions and their queues: failures, throttling, too little time or memory, age. */
export function addFunctionAlarms(
  alarms: AlarmFactory,
  { cluster, functions, sized, deadLetters, maxAge }: FunctionAlarmsProps,
): void {
  onDeadLetters(alarms, deadLetters);
  onAge(alarms, maxAge);
  onFunctions(alarms, functions);
  onSize(alarms, cluster, sized);
}

function onDeadLetters(alarms: AlarmFactory, deadLetters: FunctionAlarmsProps['deadLetters']): void {
  for (const [name, queue] of Object.entries(deadLetters)) {
    alarms.addAbove(`${name}DeadLetters`, {
      alarmDescription: `Hints were given up: ${name}`,
      query: 'Errors and warnings',
      metric: queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    });
  }
}

function onAge(alarms: AlarmFactory, maxAge: FunctionAlarmsProps['maxAge']): void {
  for (const { name, queue, age } of maxAge) {
    alarms.addAbove(`${name}Age`, {
      alarmDescription: `Hints wait longer than ${age.toHumanString()}: ${name}`,
      query: 'Slowest invocations',
      metric: queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' }),
      threshold: age.toSeconds(),
    });
  }
}

function onFunctions(alarms: AlarmFactory, functions: FunctionAlarmsProps['functions']): void {
  for (const [name, fn] of Object.entries(functions)) {
    alarms.addAbove(`${name}Errors`, {
      alarmDescription: `A function fails: ${name}`,
      query: 'Errors and warnings',
      ...(HOURLY.has(name)
        ? { metric: fn.metricErrors({ period: ALL_TRIES }), threshold: 1 }
        : { metric: fn.metricErrors({ period: MINUTE }), evaluationPeriods: 3 }),
    });
    // If these few calls are throttled, so are the others.
    if (HOURLY.has(name)) continue;
    alarms.addAbove(`${name}Throttles`, {
      alarmDescription: `The account has no room for a function to run: ${name}`,
      metric: fn.metricThrottles({ period: MINUTE }),
      evaluationPeriods: 3,
    });
  }
}

/** A function that is ended for want of time or memory starts cold again, and is ended again. */
function onSize(alarms: AlarmFactory, cluster: string, sized: FunctionAlarmsProps['sized']): void {
  const shares = sized.map(({ timeout }, index) => {
    const onePercentMs = timeout.toMilliseconds() / 100;
    return `FILL(m${index},0)/${onePercentMs}`;
  });
  alarms.addAbove('FunctionsSlow', {
    alarmDescription: 'A function took more than 60 % of its time limit: deploy with the next larger option size',
    query: 'Slowest invocations',
    metric: new MathExpression({
      expression: `MAX([${shares.join(',')}])`,
      usingMetrics: Object.fromEntries<IMetric>(
        sized.map(({ fn }, index) => [`m${index}`, fn.metricDuration({ period: MINUTE, statistic: 'Maximum' })]),
      ),
      period: MINUTE,
    }),
    threshold: MAX_SHARE_PERCENT,
    evaluationPeriods: 15,
    datapointsToAlarm: 3,
  });
  alarms.addAbove('SizeTooSmall', {
    alarmDescription: 'A function used more than 60 % of its memory: deploy with the next larger option size',
    query: 'Slowest invocations',
    metric: ownMetric(cluster, 'mortise_function_memory_used_percent'),
    threshold: ALARM_METRICS.mortise_function_memory_used_percent.above,
    evaluationPeriods: 15,
    datapointsToAlarm: 3,
  });
}
