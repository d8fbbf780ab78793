import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** What we use of a message to SQS, in its own words. */
export interface SqsMessage {
  readonly QueueUrl: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

/** Hands a message to SQS; throws if it was not taken. */
export type SendMessage = (message: SqsMessage) => Promise<void>;

/** By way of the SDK, for those who have it loaded already. */
export const sdkMessageSender =
  (sqs: SQSClient): SendMessage =>
  async (message) => {
    await sqs.send(new SendMessageCommand(message));
  };
