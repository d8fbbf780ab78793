import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type IAlarmAction, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ALARM_METRICS } from '../../../shared/model/metrics/alarm-metrics.ts';
import type { EventIntake } from '../event-intake.ts';
import { type AlarmFactory, createAlarmFactory } from './alarm-factory.ts';
import { addFunctionAlarms, type FunctionAlarmsProps } from './function-alarms.ts';
import { eksMetric, HOOK_LATENCY, ownMetric } from './own-metrics.ts';

export interface AlarmsProps extends FunctionAlarmsProps {
  /** Log groups with events that need a person. */
  readonly attention: {
    readonly sweep: ILogGroup;
    readonly provisioning: ILogGroup;
    readonly disruption: ILogGroup;
    /** The log groups of the functions that launch nodes. */
    readonly launching: readonly ILogGroup[];
  };
  /** Undefined without webhooks. */
  readonly intake?: Pick<EventIntake, 'fn' | 'rejections'>;
  /** True if the sweep queries ARC for zonal shifts. */
  readonly followsShifts: boolean;
  /** Empty: alarms show in CloudWatch and notify no topic. */
  readonly actions: readonly IAlarmAction[];
}

/** One alarm for each failure that would otherwise leave the cluster unmanaged and unnoticed. */
export class Alarms extends Construct {
  private readonly alarms: AlarmFactory;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.alarms = createAlarmFactory(this, props);

    addFunctionAlarms(this.alarms, props);
    this.onSilence(props.cluster);
    this.onPods(props.cluster);
    if (props.intake) {
      this.onHooks(props.cluster);
      this.onIntake(props.intake);
    }
    this.onAttention(props.attention);
    if (props.followsShifts) this.onShifts(props.attention.sweep);
  }

  /** The sweep alone is a complete autoscaler, so its silence is the most important alarm. */
  private onSilence(cluster: string): void {
    this.alarms.add('SweepMissing', {
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
    this.alarms.addAbove('PodsWait', {
      alarmDescription: 'A pod that a new node could serve has been waiting for 15 minutes',
      query: 'Pods without a place, and why',
      command: 'explain --pending',
      metric: ownMetric(cluster, 'mortise_pods_pending_oldest_seconds'),
      threshold: ALARM_METRICS.mortise_pods_pending_oldest_seconds.above,
      evaluationPeriods: 3,
    });
    this.alarms.addAbove('NodesDoNotStart', {
      alarmDescription: 'A node was launched 10 minutes ago and takes no pods yet',
      query: 'History of one NodeClaim',
      command: 'describe nodeclaim NAME',
      metric: ownMetric(cluster, 'mortise_nodeclaims_starting_oldest_seconds'),
      threshold: ALARM_METRICS.mortise_nodeclaims_starting_oldest_seconds.above,
      evaluationPeriods: 3,
    });
    this.alarms.addAbove('DrainsStuck', {
      alarmDescription: 'A node waits for a pod that cannot be evicted; a person must free it',
      query: 'History of one NodeClaim',
      command: 'explain nodeclaim NAME',
      metric: ownMetric(cluster, 'mortise_nodeclaims_drain_stuck'),
      evaluationPeriods: 3,
    });
    this.alarms.addAbove('LaunchesFail', {
      alarmDescription: 'EC2 refuses what we ask, and not for want of capacity',
      query: 'Errors and warnings',
      command: 'doctor',
      metric: ownMetric(cluster, 'karpenter_cloudprovider_errors_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.alarms.addAbove('RowsUnreadable', {
      alarmDescription: 'A row of the state table cannot be read; the log of errors names it',
      query: 'Errors and warnings',
      metric: ownMetric(cluster, 'mortise_unreadable_rows_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.alarms.addAbove('EventsDropped', {
      alarmDescription: 'Kubernetes Events cannot be written, so kubectl does not show what happens',
      query: 'Errors and warnings',
      metric: ownMetric(cluster, 'mortise_events_dropped_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.alarms.addAbove('TurnsFail', {
      // Failures are retried by us, so that Lambda counts the invocation as successful.
      alarmDescription: 'What we do fails again and again: the log of errors says where and why',
      query: 'Errors and warnings',
      metric: ownMetric(cluster, 'controller_runtime_reconcile_errors_total', 'Sum'),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
    this.alarms.add('ClusterUnreadable', {
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
    this.alarms.addAbove('HooksAreSlow', {
      alarmDescription: 'Hooks hold the API server up for half a second or more',
      metric: eksMetric(cluster, HOOK_LATENCY),
      threshold: 0.5,
      evaluationPeriods: 3,
    });
    this.alarms.addAbove('HooksWithdrawn', {
      // Polling delays pods by seconds; nothing is lost, but the network path of the hooks needs
      // attention.
      alarmDescription: 'The cluster suffered from its hooks; they are withdrawn, and it is polled',
      query: 'Errors and warnings',
      command: 'doctor',
      metric: ownMetric(cluster, 'mortise_hooks_withdrawn'),
    });
  }

  /** The address may be public, and its calls cost money. */
  private onIntake({ fn, rejections }: NonNullable<AlarmsProps['intake']>): void {
    const sum = { period: Duration.minutes(5), statistic: 'Sum' };
    this.alarms.addAbove('CallsRejected', {
      // A deployment that changes the intake rejects calls for less than a minute.
      alarmDescription: 'The intake rejects calls: a wrong token, or a caller that is not the cluster',
      query: 'Errors and warnings',
      metric: rejections.with(sum),
      threshold: 10,
      evaluationPeriods: 3,
    });
    this.alarms.addAbove('IntakeFlooded', {
      alarmDescription: 'The intake has been called more than a hundred times a second for 15 minutes',
      metric: fn.metricInvocations(sum),
      threshold: 30_000,
      evaluationPeriods: 3,
    });
  }

  private onAttention({ sweep, provisioning, disruption, launching }: AlarmsProps['attention']): void {
    this.alarms.addOnEvent('StandBy', sweep, 'stand-by', 'Another process owns the cluster: Mortise only observes');
    this.alarms.addOnEvent(
      'Unexplained',
      sweep,
      'unexplained',
      'So many instances without a record that a person must say whether they may end',
    );
    this.alarms.addOnEvent(
      'PodsNotReceived',
      provisioning,
      'pods-not-received',
      'Nodes were launched for pods and received none of them: launches for these pods back off',
    );
    this.alarms.addOnEvent(
      'SetAside',
      [provisioning, disruption, sweep],
      ['pods-set-aside', 'node-set-aside', 'planning-paused'],
      'The planner ended each time that it planned these pods, or the removal of this node: it plans without them. Or it ended whatever it left out, and pauses',
    );
    this.alarms.addOnEvent(
      'ClusterDeleted',
      sweep,
      'cluster-deleted',
      'EKS has no such cluster any more: its instances are ended, and this stack can go',
    );
    this.alarms.addOnEvent(
      'Capped',
      launching,
      'capped',
      'A cap on launches, nodes or dollars per hour holds nodes back: the log names their pods',
    );
  }

  private onShifts(sweep: ILogGroup): void {
    this.alarms.addOnEvent(
      'ShiftsUnknown',
      sweep,
      'shifts-unknown',
      'Zonal shifts cannot be read from ARC: the last known ones stay in force',
    );
  }
}
