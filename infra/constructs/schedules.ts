import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ContextAttribute,
  type IScheduleTarget,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface SchedulesProps {
  readonly sweep: Queue;
  readonly disrupt: Queue;
  readonly nodeClass: Queue;
}

const EVERY_MINUTE = ScheduleExpression.rate(Duration.minutes(1));
/** No event announces new images or full subnets, so node classes are resolved on a schedule. */
const EVERY_TWO_MINUTES = ScheduleExpression.rate(Duration.minutes(2));
/** A tick that was not delivered within a minute is replaced by the next. */
const ONE_TRY = { maxEventAge: Duration.minutes(1), retryAttempts: 1 } as const;

/** Ticks every minute for the sweep and for disruption, and every two minutes for node classes. */
export class Schedules extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { sweep, disrupt, nodeClass }: SchedulesProps) {
    super(scope, id);
    const scheduleGroup = new ScheduleGroup(this, 'Group', {
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = senderFor(this, scheduleGroup);
    this.role = role;
    const each = (name: string, target: IScheduleTarget, schedule = EVERY_MINUTE): Schedule =>
      new Schedule(this, name, { schedule, scheduleGroup, target });

    each('Sweep', new SqsSendMessage(sweep, { ...ONE_TRY, role, input: tick('sweep') }));
    each(
      'Disrupt',
      new SqsSendMessage(disrupt, {
        ...ONE_TRY,
        role,
        input: tick('disrupt'),
        messageGroupId: 'disrupt',
      }),
    );
    each('NodeClass', new SqsSendMessage(nodeClass, { ...ONE_TRY, role, input: tick('class') }), EVERY_TWO_MINUTES);
  }
}

/** A role for these schedules alone: no other schedule of the account may assume it. */
function senderFor(scope: Construct, { scheduleGroupArn }: ScheduleGroup): Role {
  const { account } = Stack.of(scope);
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': scheduleGroupArn },
      },
    }),
  });
}

/**
 * The execution id distinguishes ticks: SQS would drop equal ones as duplicates for five minutes.
 */
const tick = (topic: string) => ScheduleTargetInput.fromObject({ topic, tick: ContextAttribute.executionId });
