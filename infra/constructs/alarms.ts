import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IAlarmAction,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

const MINUTE = Duration.minutes(1);

export interface AlarmsProps {
  /** By the name that alarms show. */
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly deadLetters: Readonly<Record<string, Queue>>;
  /** Queues whose oldest message tells that nobody works, and how old it may be. */
  readonly mostAge: readonly { name: string; queue: Queue; age: Duration }[];
  readonly sweep: IFunction;
  /** Empty: alarms show in CloudWatch and tell nobody. */
  readonly actions: readonly IAlarmAction[];
}

type Threshold = Pick<AlarmProps, 'alarmDescription' | 'metric'> & Partial<AlarmProps>;

/** One for each way in which the cluster would be left alone unnoticed. */
export class Alarms extends Construct {
  private readonly actions: readonly IAlarmAction[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.actions = props.actions;

    this.onDeadLetters(props.deadLetters);
    this.onAge(props.mostAge);
    this.onFunctions(props.functions);
    this.onSilence(props.sweep);
  }

  private onDeadLetters(deadLetters: AlarmsProps['deadLetters']): void {
    for (const [name, queue] of Object.entries(deadLetters)) {
      this.above(`${name}DeadLetters`, {
        alarmDescription: `Hints were given up: ${name}`,
        metric: queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
      });
    }
  }

  private onAge(mostAge: AlarmsProps['mostAge']): void {
    for (const { name, queue, age } of mostAge) {
      this.above(`${name}Age`, {
        alarmDescription: `Hints wait longer than ${age.toHumanString()}: ${name}`,
        metric: queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' }),
        threshold: age.toSeconds(),
      });
    }
  }

  private onFunctions(functions: AlarmsProps['functions']): void {
    for (const [name, fn] of Object.entries(functions)) {
      this.above(`${name}Errors`, {
        alarmDescription: `A function fails: ${name}`,
        metric: fn.metricErrors({ period: MINUTE }),
        evaluationPeriods: 3,
      });
      this.above(`${name}Throttles`, {
        alarmDescription: `The account has no room for a function to run: ${name}`,
        metric: fn.metricThrottles({ period: MINUTE }),
        evaluationPeriods: 3,
      });
    }
  }

  /** The sweep alone is a complete autoscaler, so its silence is the one that must be heard. */
  private onSilence(sweep: IFunction): void {
    this.add('SweepMissing', {
      alarmDescription: 'No sweep has run for three minutes: lost hints are not found',
      metric: sweep.metricInvocations({ period: MINUTE }),
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: 1,
      evaluationPeriods: 3,
      // No invocation is no data point.
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  private above(name: string, props: Threshold): void {
    this.add(name, {
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: 0,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
    });
  }

  private add(name: string, props: AlarmProps): void {
    new Alarm(this, name, props).addAlarmAction(...this.actions);
  }
}
