import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { ScheduledCall } from './scheduled-call.ts';

/** Asks once an hour what EC2 sells where and for how much, so that nobody has to ask in a hurry. */
export class CatalogRefresh extends Construct {
  readonly fn: HandlerFunction;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    this.fn = new HandlerFunction(this, 'Function', props);
    new ScheduledCall(this, 'Hourly', { fn: this.fn, every: Duration.hours(1) });
  }
}
