import { type AwsCredentials, fetchSigned } from '../signed-request.ts';
import type { SendMessage } from './send-message.ts';

export interface SignedSenderSettings extends AwsCredentials {
  readonly region: string;
  /** Absent: where the queue's URL says. */
  readonly endpoint?: string;
}

/** SQS did not take a message, or did not answer in time. */
export class MessageNotSentError extends Error {
  override readonly name = 'MessageNotSentError';
}

/** What waits for us is an API server with a second of patience. */
const TIMEOUT_MS = 900;
const RETRIES = 2;
const FIRST_RETRY_AFTER_MS = 50;
const MAX_ERROR_LENGTH = 300;

/**
 * Signs the one request that the intake makes, instead of loading a client: that would be nine tenths
 * of what it loads before it can answer for the first time.
 *
 * @see Amazon SQS, "Making API requests using the AWS JSON protocol"
 */
export function signedMessageSender(parts: SignedSenderSettings): SendMessage {
  const { endpoint, region, ...credentials } = parts;

  return async (message) => {
    const request = {
      method: 'POST',
      url: endpoint ?? new URL(message.QueueUrl).origin,
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'AmazonSQS.SendMessage',
      },
      body: JSON.stringify(message),
    } as const;
    const { status, ok, text } = await fetchSigned(
      request,
      { service: 'sqs', region },
      credentials,
      {
        retries: RETRIES,
        firstDelayMs: FIRST_RETRY_AFTER_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
    )
      .then(async (answer) => ({
        status: answer.status,
        ok: answer.ok,
        text: await answer.text(),
      }))
      .catch((cause: unknown) => {
        throw new MessageNotSentError('SQS could not be reached', { cause });
      });
    if (!ok) {
      throw new MessageNotSentError(`SQS answered ${status}: ${text.slice(0, MAX_ERROR_LENGTH)}`);
    }
  };
}
