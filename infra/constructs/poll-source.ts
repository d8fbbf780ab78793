import { Duration } from 'aws-cdk-lib';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { HandlerFunction, HandlerFunctionProps } from './handler-function.ts';
import { QueueWorker } from './queue-worker.ts';

export interface PollSourceProps extends Omit<HandlerFunctionProps, 'entry' | 'wakesItself'> {
  /** How messages are kept secret: as in the other queues. */
  readonly safety: QueueProps;
}

/** What dies is back this long after its function's limit; by then the sweep has begun a new loop. */
const SLACK = Duration.seconds(30);

/**
 * Looks every five seconds for pods that wait, where or while the API server does not call. A message
 * goes round in one queue, so nothing here costs more than its polling while there is none.
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
      // A turn that is older belongs to a loop that was replaced.
      retentionPeriod: Duration.hours(1),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
    // No bound on its concurrency: with one Lambda would keep all its pollers while it is quiet.
    this.fn = new QueueWorker(this, 'Worker', {
      ...props,
      environment: { ...props.environment, POLL_QUEUE: this.queue.queueUrl },
      entry: 'poll',
      queue: this.queue,
      wakesItself: true,
    }).fn;
  }
}
