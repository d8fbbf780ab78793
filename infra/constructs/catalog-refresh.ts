import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';

const EVERY = Duration.hours(1);

/** Asks once an hour what EC2 sells where and for how much, so that nobody has to ask in a hurry. */
export class CatalogRefresh extends Construct {
  readonly fn: HandlerFunction;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    this.fn = new HandlerFunction(this, 'Function', props);
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [this.fn.functionArn],
      }),
    );
    const schedule = new Schedule(this, 'Schedule', {
      schedule: ScheduleExpression.rate(EVERY),
      target: new LambdaInvoke(this.fn, {
        // The CDK would let it call each version as well.
        role: role.withoutPolicyUpdates(),
        retryAttempts: 2,
        maxEventAge: EVERY,
      }),
    });
    schedule.node.addDependency(role);
  }
}
