import { Names } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';

export interface QueueWorkerProps extends HandlerFunctionProps {
  readonly queue: Queue;
  /**
   * Maximum concurrent invocations, for standard queues; a FIFO queue runs one per message group.
   */
  readonly maxConcurrency?: number;
  /** True if the function hides the messages that it works on, as those of FIFO queues do. */
  readonly hidesMessages?: boolean;
}

/** The function that consumes a queue. It may receive messages; the stack grants the rest. */
export class QueueWorker extends Construct {
  readonly fn: HandlerFunction;

  constructor(scope: Construct, id: string, props: QueueWorkerProps) {
    const { queue, maxConcurrency, hidesMessages = false, ...rest } = props;
    super(scope, id);

    this.fn = new HandlerFunction(this, 'Function', rest);
    // The CDK's event source would grant more than Lambda needs.
    this.fn.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
      eventSourceArn: queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
    });
    queue.grant(this.fn, 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes');
    if (hidesMessages) queue.grant(this.fn, 'sqs:ChangeMessageVisibility');
  }
}
