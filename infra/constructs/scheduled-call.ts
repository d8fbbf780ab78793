import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';

export interface ScheduledCallProps {
  readonly fn: IFunction;
  readonly every: Duration;
  /** The function's input; undefined if it needs none. */
  readonly input?: Readonly<Record<string, string>>;
}

/**
 * Calls one function on a schedule. A call that was not delivered in time is dropped: the next one
 * follows.
 */
export class ScheduledCall extends Construct {
  constructor(scope: Construct, id: string, { fn, every, input }: ScheduledCallProps) {
    super(scope, id);
    const scheduleGroup = new ScheduleGroup(this, 'Group', {
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = this.addRole(fn, scheduleGroup);
    const schedule = new Schedule(this, 'Schedule', {
      scheduleGroup,
      schedule: ScheduleExpression.rate(every),
      target: new LambdaInvoke(fn, {
        role,
        ...(input && { input: ScheduleTargetInput.fromObject(input) }),
        retryAttempts: 2,
        maxEventAge: every,
      }),
    });
    schedule.node.addDependency(role);
  }

  /**
   * A role for these schedules and this function alone: the CDK's default would allow every
   * version.
   */
  private addRole(fn: IFunction, { scheduleGroupArn }: ScheduleGroup): IRole {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': scheduleGroupArn,
          },
        },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] }));
    return role.withoutPolicyUpdates();
  }
}
