import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { type HideMessages, sdkMessageHider } from '../../shared/aws/queues/message-visibility.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import { SHORT_TIMEOUTS } from './client-timeouts.ts';
import type { Environment } from './settings.ts';
import { logger } from './telemetry.ts';
import { readWorkerSettings } from './worker-settings.ts';

/** @throws SettingsError - names every variable that is missing or wrong */
export const hiderFrom = (environment: Environment, topic: 'plan' | 'disrupt'): HideMessages =>
  sdkMessageHider(new SQSClient(SHORT_TIMEOUTS), readWorkerSettings(environment).queues[topic]);

/** A planner that computes longer without a pause cannot renew: its messages start a second one, and one of both commits. */
const HIDDEN_SECONDS = 30;
const RENEW_EVERY_MS = 8 * SECOND_MS;

/**
 * Runs `work` and keeps its messages hidden meanwhile, by renewing a timeout of half a minute. If the process
 * ends, SQS delivers the messages again after this time instead of after the queue's visibility timeout, which
 * cannot be shorter than the function's timeout and for which the FIFO group would wait.
 *
 * A refused request is only logged: the messages then return when they would have without it.
 */
export async function keepHidden<T>(
  hide: HideMessages,
  records: readonly SQSRecord[],
  work: () => Promise<T>,
): Promise<T> {
  const handles = records.map(({ receiptHandle }) => receiptHandle);
  let hiding: Promise<void> | undefined;
  const renew = (): void => {
    hiding ??= hide(handles, HIDDEN_SECONDS)
      .catch((error: unknown) => logger.warn('messages not hidden', { error }))
      .finally(() => {
        hiding = undefined;
      });
  };

  renew();
  const timer = setInterval(renew, RENEW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // A request in flight would be frozen with the process.
    await hiding;
  }
}
