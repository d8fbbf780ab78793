import { Duration } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface ZonalShiftRuleProps {
  /** The queue of the sweep. */
  readonly queue: IQueue;
  readonly deadLetters: IQueue;
}

/**
 * Triggers the sweep when ARC reports a change. Delivery is best effort and the events concern all
 * clusters, so the sweep queries ARC itself, and does so every minute anyway.
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
