import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';

export interface QueueWorkerProps extends HandlerFunctionProps {
  readonly queue: Queue;
  /**
   * Maximum concurrent invocations, for standard queues; a FIFO queue runs one per message group.
   */
  readonly maxConcurrency?: number;
}

/** The function that consumes a queue. It may receive messages; the stack grants the rest. */
export class QueueWorker extends Construct {
  readonly fn: HandlerFunction;

  constructor(scope: Construct, id: string, props: QueueWorkerProps) {
    const { queue, maxConcurrency, ...rest } = props;
    super(scope, id);

    this.fn = new HandlerFunction(this, 'Function', rest);
    this.fn.addEventSource(
      new SqsEventSource(queue, {
        batchSize: 10,
        reportBatchItemFailures: true,
        ...(maxConcurrency !== undefined && { maxConcurrency }),
      }),
    );
  }
}
