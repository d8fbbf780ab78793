import { Duration } from 'aws-cdk-lib';
import { type EventPattern, Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Event patterns of EC2 and AWS Health. Patterns cannot select by tag; the handler does. */
const PATTERNS: Readonly<Record<string, EventPattern>> = {
  SpotInterruption: {
    source: ['aws.ec2'],
    detailType: ['EC2 Spot Instance Interruption Warning'],
  },
  Rebalance: {
    source: ['aws.ec2'],
    detailType: ['EC2 Instance Rebalance Recommendation'],
  },
  StateChange: {
    source: ['aws.ec2'],
    detailType: ['EC2 Instance State-change Notification'],
    detail: { state: Match.anyOf('stopping', 'stopped', 'shutting-down', 'terminated') },
  },
  ReservationInterruption: {
    source: ['aws.ec2'],
    detailType: ['EC2 Capacity Reservation Instance Interruption Warning'],
  },
  ScheduledChange: {
    source: ['aws.health'],
    detailType: ['AWS Health Event'],
    detail: { service: ['EC2'], eventTypeCategory: ['scheduledChange'] },
  },
};

export interface InterruptionRulesProps {
  readonly queue: IQueue;
  readonly deadLetters: IQueue;
}

/** Routes the events from the default bus to the queue: AWS services publish on no other bus. */
export class InterruptionRules extends Construct {
  constructor(scope: Construct, id: string, { queue, deadLetters }: InterruptionRulesProps) {
    super(scope, id);
    for (const [name, eventPattern] of Object.entries(PATTERNS)) {
      new Rule(this, name, {
        eventPattern,
        targets: [
          // After ten minutes the instance is gone and the sweep has noticed.
          new SqsQueue(queue, { deadLetterQueue: deadLetters, maxEventAge: Duration.minutes(10) }),
        ],
      });
    }
  }
}
