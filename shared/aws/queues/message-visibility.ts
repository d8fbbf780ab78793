import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Hides received messages for some seconds from now. Throws if SQS refuses it for any of them. */
export type HideMessages = (receiptHandles: readonly string[], seconds: number) => Promise<void>;

/**
 * @param QueueUrl - the queue that delivered the messages
 */
export const sdkMessageHider =
  (sqs: SQSClient, QueueUrl: string): HideMessages =>
  async (receiptHandles, seconds) => {
    const { Failed = [] } = await sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: receiptHandles.map((ReceiptHandle, index) => ({
          Id: `${index}`,
          ReceiptHandle,
          VisibilityTimeout: seconds,
        })),
      }),
    );
    const [failed] = Failed;
    if (failed) throw new Error(`SQS hides no message: ${failed.Code} ${failed.Message ?? ''}`);
  };
