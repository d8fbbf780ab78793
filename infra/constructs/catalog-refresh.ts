import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { ScheduledCall } from './scheduled-call.ts';

/** Reads EC2's offerings and prices once an hour, so that no launch has to wait for them. */
export class CatalogRefresh extends Construct {
  readonly fn: HandlerFunction;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    this.fn = new HandlerFunction(this, 'Function', props);
    new ScheduledCall(this, 'Hourly', { fn: this.fn, every: Duration.hours(1) });
  }
}
