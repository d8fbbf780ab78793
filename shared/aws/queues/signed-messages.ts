import { type AwsCredentials, fetchSigned } from '../signed-request.ts';
import { MessageNotSentError } from './message-not-sent.ts';
import type { SendMessage } from './send-message.ts';

export interface SignedSenderSettings extends AwsCredentials {
  readonly region: string;
  /** Undefined for the host of the queue's URL. */
  readonly endpoint?: string;
}

/** The API server waits for the webhook for one second. */
const TIMEOUT_MS = 900;
const RETRIES = 2;
const FIRST_RETRY_AFTER_MS = 50;
const MAX_ERROR_LENGTH = 300;

/**
 * Sends messages with a signed request instead of the SDK's client, which would be nine tenths of
 * what the webhook intake loads at a cold start.
 *
 * @see Amazon SQS, "Making API requests using the AWS JSON protocol"
 */
export function signedMessageSender(settings: SignedSenderSettings): SendMessage {
  const { endpoint, region, ...credentials } = settings;

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
    const { status, ok, text } = await fetchSigned(request, { service: 'sqs', region }, credentials, {
      retries: RETRIES,
      firstDelayMs: FIRST_RETRY_AFTER_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
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
