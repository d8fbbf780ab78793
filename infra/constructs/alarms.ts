import { Duration, Names } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EventIntake } from './event-intake.ts';
import { eksMetric, HOOK_LATENCY, ownMetric } from './own-metrics.ts';
import { type SavedQuery, savedQueryName } from './saved-queries.ts';

const MINUTE = Duration.minutes(1);
/** The rest is for a burst that no measurement contained. */
const MAX_SHARE_PERCENT = 60;

export interface AlarmsProps {
  readonly cluster: string;
  /** Functions by the name that alarms show. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** The functions whose memory depends on the option `size`, with their time limits. */
  readonly sized: readonly { readonly fn: IFunction; readonly timeout: Duration }[];
  readonly deadLetters: Readonly<Record<string, Queue>>;
  /** The age of the oldest message at which a queue counts as stuck. */
  readonly maxAge: readonly { name: string; queue: Queue; age: Duration }[];
  /** Log groups with events that need a person. */
  readonly attention: {
    readonly sweep: ILogGroup;
    readonly provisioning: ILogGroup;
    readonly disruption: ILogGroup;
    /** The log groups of the functions that launch nodes. */
    readonly launching: readonly ILogGroup[];
  };
  readonly intake: Pick<EventIntake, 'fn' | 'rejections'>;
  /** True if the sweep queries ARC for zonal shifts. */
  readonly followsShifts: boolean;
  /** Empty: alarms show in CloudWatch and notify no topic. */
  readonly actions: readonly IAlarmAction[];
}

/** The query and the command to begin with; the description of the alarm ends with them. */
interface FirstLook {
  readonly query?: SavedQuery;
  /** Without `mortise`, and without the cluster, which is added. */
  readonly command?: string;
}

type Described = AlarmProps & FirstLook & { readonly alarmDescription: string };
type Threshold = Pick<Described, 'alarmDescription' | 'metric'> & Partial<Described>;

/**
 * Functions that a schedule calls each hour or less often. Lambda tries a failed call three times,
 * a minute and then two minutes apart, so they never fail in three consecutive minutes.
 */
const HOURLY: ReadonlySet<string> = new Set(['clusterSetup', 'webhookControl', 'catalogRefresh']);
/** Contains the three tries of a call, each up to the timeout of five minutes. */
const ALL_TRIES = Duration.minutes(15);

/** One alarm for each failure that would otherwise leave the cluster unmanaged and unnoticed. */
export class Alarms extends Construct {
  private readonly actions: readonly IAlarmAction[];
  private readonly cluster: string;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.actions = props.actions;
    this.cluster = props.cluster;

    this.onDeadLetters(props.deadLetters);
    this.onAge(props.maxAge);
    this.onFunctions(props.functions);
    this.onSize(props.cluster, props.sized);
    this.onSilence(props.cluster);
    this.onPods(props.cluster);
    this.onHooks(props.cluster);
    this.onIntake(props.intake);
    this.onAttention(props.attention);
    if (props.followsShifts) this.onShifts(props.attention.sweep);
  }

  private onDeadLetters(deadLetters: AlarmsProps['deadLetters']): void {
    for (const [name, queue] of Object.entries(deadLetters)) {
      this.above(`${name}DeadLetters`, {
        alarmDescription: `Hints were given up: ${name}`,
        query: 'Errors and warnings',
        metric: queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
      });
    }
  }

  private onAge(maxAge: AlarmsProps['maxAge']): void {
    for (const { name, queue, age } of maxAge) {
      this.above(`${name}Age`, {
        alarmDescription: `Hints wait longer than ${age.toHumanString()}: ${name}`,
        query: 'Slowest turns',
        metric: queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' }),
        threshold: age.toSeconds(),
      });
    }
  }

  private onFunctions(functions: AlarmsProps['functions']): void {
    for (const [name, fn] of Object.entries(functions)) {
      this.above(`${name}Errors`, {
        alarmDescription: `A function fails: ${name}`,
        query: 'Errors and warnings',
        ...(HOURLY.has(name)
          ? { metric: fn.metricErrors({ period: ALL_TRIES }), threshold: 1 }
          : { metric: fn.metricErrors({ period: MINUTE }), evaluationPeriods: 3 }),
      });
      this.above(`${name}Throttles`, {
        alarmDescription: `The account has no room for a function to run: ${name}`,
        metric: fn.metricThrottles({ period: MINUTE }),
        evaluationPeriods: 3,
      });
    }
  }

  /** A function that is ended for want of time or memory starts cold again, and is ended again. */
  private onSize(cluster: string, sized: AlarmsProps['sized']): void {
    const shares = sized.map(({ timeout }, index) => {
      const onePercentMs = timeout.toMilliseconds() / 100;
      return `FILL(m${index},0)/${onePercentMs}`;
    });
    this.above('FunctionsSlow', {
      alarmDescription:
        'A function took more than 60 % of its time limit: deploy with the next larger option size',
      query: 'Slowest turns',
      metric: new MathExpression({
        expression: `MAX([${shares.join(',')}])`,
        usingMetrics: Object.fromEntries<IMetric>(
          sized.map(({ fn }, index) => [
            `m${index}`,
            fn.metricDuration({ period: MINUTE, statistic: 'Maximum' }),
          ]),
        ),
        period: MINUTE,
      }),
      threshold: MAX_SHARE_PERCENT,
      evaluationPeriods: 15,
      datapointsToAlarm: 3,
    });
    this.above('SizeTooSmall', {
      alarmDescription:
        'A function used more than 60 % of its memory: deploy with the next larger option size',
      query: 'Slowest turns',
      metric: ownMetric(cluster, 'mortise_function_memory_used_percent'),
      threshold: MAX_SHARE_PERCENT,
      evaluationPeriods: 15,
      datapointsToAlarm: 3,
    });
  }

  /** The sweep alone is a complete autoscaler, so its silence is the most important alarm. */
  private onSilence(cluster: string): void {
    this.add('SweepMissing', {
      alarmDescription: 'No sweep has run for three minutes: lost hints are not found',
      query: 'Errors and warnings',
      command: 'doctor',
      // Counts finished sweeps, not invocations: delayed wake-ups in the queue invoke the function
      // as well.
      metric: ownMetric(cluster, 'mortise_sweeps_total', 'Sum'),
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: 1,
      evaluationPeriods: 3,
      // A missing sweep produces no data point.
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  /** Alarms on the effects that users notice, whatever the cause. */
  private onPods(cluster: string): void {
    this.above('PodsWait', {
      alarmDescription: 'A pod that a new node could serve has been waiting for 15 minutes',
      query: 'Pods without a place, and why',
      command: 'explain --pending',
      metric: ownMetric(cluster, 'mortise_pods_pending_oldest_seconds'),
      threshold: Duration.minutes(15).toSeconds(),
      evaluationPeriods: 3,
    });
    this.above('NodesDoNotStart', {
      alarmDescription: 'A node was launched 10 minutes ago and takes no pods yet',
      query: 'History of one NodeClaim',
      command: 'describe nodeclaim NAME',
      metric: ownMetric(cluster, 'mortise_nodeclaims_starting_oldest_seconds'),
      threshold: Duration.minutes(10).toSeconds(),
      evaluationPeriods: 3,
    });
    this.above('DrainsStuck', {
      alarmDescription: 'A node waits for a pod that cannot be evicted; a person must free it',
      query: 'History of one NodeClaim',
      command: 'explain nodeclaim NAME',
      metric: ownMetric(cluster, 'mortise_nodeclaims_drain_stuck'),
      evaluationPeriods: 3,
    });
    this.above('LaunchesFail', {
      alarmDescription: 'EC2 refuses what we ask, and not for want of capacity',
      query: 'Errors and warnings',
      command: 'doctor',
      metric: ownMetric(cluster, 'karpenter_cloudprovider_errors_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.above('RowsUnreadable', {
      alarmDescription: 'A row of the state table cannot be read; the log of errors names it',
      query: 'Errors and warnings',
      metric: ownMetric(cluster, 'mortise_unreadable_rows_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.above('TurnsFail', {
      // Failures are retried by us, so that Lambda counts the invocation as successful.
      alarmDescription: 'What we do fails again and again: the log of errors says where and why',
      query: 'Errors and warnings',
      metric: ownMetric(cluster, 'controller_runtime_reconcile_errors_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.add('ClusterUnreadable', {
      alarmDescription: 'The cluster could not be read for five minutes: nothing is decided',
      query: 'Errors and warnings',
      command: 'doctor',
      metric: ownMetric(cluster, 'karpenter_cluster_state_synced'),
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: 1,
      evaluationPeriods: 5,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  private onHooks(cluster: string): void {
    this.above('HooksAreSlow', {
      alarmDescription: 'Hooks hold the API server up for half a second or more',
      metric: eksMetric(cluster, HOOK_LATENCY),
      threshold: 0.5,
      evaluationPeriods: 3,
    });
    this.above('HooksWithdrawn', {
      // Polling delays pods by seconds; nothing is lost, but the network path of the hooks needs
      // attention.
      alarmDescription: 'The cluster suffered from its hooks; they are withdrawn, and it is polled',
      query: 'Errors and warnings',
      command: 'doctor',
      metric: ownMetric(cluster, 'mortise_hooks_withdrawn'),
    });
  }

  /** The address may be public, and its calls cost money. */
  private onIntake({ fn, rejections }: AlarmsProps['intake']): void {
    const sum = { period: Duration.minutes(5), statistic: 'Sum' };
    this.above('CallsRejected', {
      // A deployment that changes the intake rejects calls for less than a minute.
      alarmDescription:
        'The intake rejects calls: a wrong token, or a caller that is not the cluster',
      query: 'Errors and warnings',
      metric: rejections.with(sum),
      threshold: 10,
      evaluationPeriods: 3,
    });
    this.above('IntakeFlooded', {
      alarmDescription:
        'The intake has been called more than a hundred times a second for 15 minutes',
      metric: fn.metricInvocations(sum),
      threshold: 30_000,
      evaluationPeriods: 3,
    });
  }

  private onAttention({
    sweep,
    provisioning,
    disruption,
    launching,
  }: AlarmsProps['attention']): void {
    this.onEvent(
      'StandBy',
      sweep,
      'stand-by',
      'Another process owns the cluster: Mortise only observes',
    );
    this.onEvent(
      'Unexplained',
      sweep,
      'unexplained',
      'So many instances without a record that a person must say whether they may end',
    );
    this.onEvent(
      'PodsNotReceived',
      provisioning,
      'pods-not-received',
      'Nodes were launched for pods and received none of them: launches for these pods back off',
    );
    this.onEvent(
      'SetAside',
      [provisioning, disruption, sweep],
      ['pods-set-aside', 'node-set-aside'],
      'The planner ended each time that it planned these pods, or the removal of this node: it plans without them',
    );
    this.onEvent(
      'ClusterDeleted',
      sweep,
      'cluster-deleted',
      'EKS has no such cluster any more: its instances are ended, and this stack can go',
    );
    this.onEvent(
      'Capped',
      launching,
      'capped',
      'A cap on launches, nodes or dollars per hour holds nodes back: the log names their pods',
    );
  }

  private onShifts(sweep: ILogGroup): void {
    this.onEvent(
      'ShiftsUnknown',
      sweep,
      'shifts-unknown',
      'Zonal shifts cannot be read from ARC: the last known ones stay in force',
    );
  }

  /** A single log line triggers the alarm. */
  private onEvent(
    name: string,
    logGroups: ILogGroup | readonly ILogGroup[],
    kinds: string | readonly string[],
    alarmDescription: string,
  ): void {
    const patterns = [kinds]
      .flat()
      .map((kind) => FilterPattern.stringValue('$.event.kind', '=', kind));
    const filters = [logGroups].flat().map(
      (logGroup, index) =>
        new MetricFilter(this, `${name}Lines${index || ''}`, {
          logGroup,
          filterPattern: FilterPattern.any(...patterns),
          metricNamespace: 'Mortise',
          metricName: `${Names.uniqueId(this)}-${[kinds].flat().join('-')}`,
          defaultValue: 0,
        }),
    );
    // All filters count into one metric.
    const metric = filters[0]?.metric({ period: MINUTE, statistic: 'Sum' });
    if (metric) this.above(name, { alarmDescription, metric });
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

  private add(name: string, { query, command, alarmDescription, ...props }: Described): void {
    const looks = [
      ...(query ? [`Saved query: ${savedQueryName(this.cluster, query)}`] : []),
      ...(command === undefined ? [] : [`Ask: mortise ${command} --cluster ${this.cluster}`]),
    ];
    const description = [alarmDescription, ...looks].join('. ');
    const alarm = new Alarm(this, name, { ...props, alarmDescription: description });
    alarm.addAlarmAction(...this.actions);
  }
}
