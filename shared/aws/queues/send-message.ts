import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** The fields of an SQS message that Mortise uses, in SQS's names. */
export interface SqsMessage {
  readonly QueueUrl: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

/** Sends a message. Throws if SQS did not accept it. */
export type SendMessage = (message: SqsMessage) => Promise<void>;

/** Sends through the SDK, for functions that load it anyway. */
export const sdkMessageSender =
  (sqs: SQSClient): SendMessage =>
  async (message) => {
    await sqs.send(new SendMessageCommand(message));
  };
