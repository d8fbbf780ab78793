import { Duration } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface ZonalShiftRuleProps {
  /** Of the sweep. */
  readonly queue: IQueue;
  readonly deadLetters: IQueue;
}

/**
 * Has the sweep look as soon as ARC says anything. Delivery is best effort, and the events are of all
 * clusters: the sweep asks ARC itself, and does so every minute anyway.
 */
export class ZonalShiftRule extends Construct {
  constructor(scope: Construct, id: string, { queue, deadLetters }: ZonalShiftRuleProps) {
    super(scope, id);
    new Rule(this, 'Any', {
      eventPattern: { source: ['aws.arc-zonal-shift'] },
      targets: [
        new SqsQueue(queue, {
          deadLetterQueue: deadLetters,
          maxEventAge: Duration.minutes(1),
          message: RuleTargetInput.fromObject({ topic: 'sweep', tick: EventField.eventId }),
        }),
      ],
    });
  }
}
