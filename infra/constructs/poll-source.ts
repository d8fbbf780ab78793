import { Duration } from 'aws-cdk-lib';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { HandlerFunction, HandlerFunctionProps } from './handler-function.ts';
import { QueueWorker } from './queue-worker.ts';

export interface PollSourceProps extends Omit<HandlerFunctionProps, 'entry' | 'wakesItself'> {
  /** Encryption settings, the same as for the other queues. */
  readonly safety: QueueProps;
}

/**
 * A message of a crashed invocation returns this long after the function's timeout; by then the
 * sweep has started a new loop.
 */
const SLACK = Duration.seconds(30);

/**
 * Looks for pending pods every five seconds where, or while, the API server does not call the
 * hooks. One message circulates in one queue, so that only its polling costs money.
 */
export class PollSource extends Construct {
  readonly fn: HandlerFunction;
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { safety, ...props }: PollSourceProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...safety,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      ...safety,
      visibilityTimeout: props.timeout.plus(SLACK),
      // An older message belongs to a loop that was replaced.
      retentionPeriod: Duration.hours(1),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
    // No concurrency limit: with one, Lambda would keep all of its pollers running while the queue
    // is idle.
    this.fn = new QueueWorker(this, 'Worker', {
      ...props,
      environment: { ...props.environment, POLL_QUEUE: this.queue.queueUrl },
      entry: 'poll',
      queue: this.queue,
      wakesItself: true,
    }).fn;
  }
}
