import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';

export interface DeployCheckProps extends HandlerFunctionProps {
  /** The concurrent executions that the intake reserves. */
  readonly concurrency: number;
}

/** CloudFormation waits a little longer than the function's own timeout. */
const ANSWER_SLACK = Duration.minutes(1);

/**
 * Stops a deployment with an explanation before it creates what Lambda would refuse: a reservation
 * for which the account has no room.
 */
export class DeployCheck extends Construct {
  readonly fn: HandlerFunction;
  /** Succeeds before the intake is created or changed. */
  readonly resource: CustomResource;

  constructor(scope: Construct, id: string, { concurrency, ...props }: DeployCheckProps) {
    super(scope, id);
    this.fn = new HandlerFunction(this, 'Function', {
      ...props,
      environment: { ...props.environment, STACK_ID: Stack.of(this).stackId },
    });
    this.resource = new CustomResource(this, 'Resource', {
      resourceType: 'Custom::MortiseDeployCheck',
      serviceToken: this.fn.functionArn,
      serviceTimeout: props.timeout.plus(ANSWER_SLACK),
      properties: { concurrency },
    });
    this.resource.node.addDependency(this.fn);
  }
}
