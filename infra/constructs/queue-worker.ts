import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';

export interface QueueWorkerProps extends HandlerFunctionProps {
  readonly queue: Queue;
  /** How many may run at once, for standard queues; a FIFO queue has as many as it has groups. */
  readonly maxConcurrency?: number;
}

/** The function that works a queue. It may take messages off it; the stack grants the rest. */
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
