import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { ClusterSetup } from './cluster-setup.ts';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { ScheduledCall } from './scheduled-call.ts';

export interface WebhookControlProps extends HandlerFunctionProps {
  readonly setup: ClusterSetup;
}

const KEEP_EVERY = Duration.hours(1);

/** Keeps, withdraws and restores the webhooks, and rotates their token. */
export class WebhookControl extends Construct {
  readonly fn: HandlerFunction;

  constructor(scope: Construct, id: string, { setup, ...props }: WebhookControlProps) {
    super(scope, id);
    this.fn = new HandlerFunction(this, 'Function', {
      ...props,
      environment: { ...props.environment, SETUP_FUNCTION: setup.fn.functionName },
    });
    // Restores deleted webhooks and rotates an old token.
    new ScheduledCall(this, 'Keep', { fn: this.fn, every: KEEP_EVERY, input: { action: 'keep' } });
  }
}
