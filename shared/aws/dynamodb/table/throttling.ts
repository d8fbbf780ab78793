import { setTimeout as sleepFor } from 'node:timers/promises';

export interface ThrottleOptions {
  /** Waits; tests replace it by virtual time. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** A number from 0 to 1, which spreads the retries of parallel requests. */
  readonly random?: () => number;
}

const MAX_RETRIES = 10;
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/**
 * Repeats a request that DynamoDB throttles, after delays with full jitter, for three seconds on average.
 * The SDK's own attempts end within 200 ms, but a partition needs up to a second to have capacity
 * again.
 */
export async function retryThrottled<T>(send: () => Promise<T>, options: ThrottleOptions = {}): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await send();
    } catch (error) {
      if (retry === MAX_RETRIES || !isThrottled(error)) throw error;
      await waitBeforeRetry(retry, options);
    }
  }
}

export async function waitBeforeRetry(
  retry: number,
  { sleep = sleepFor, random = Math.random }: ThrottleOptions,
): Promise<void> {
  const maxMs = Math.min(FIRST_DELAY_MS * 2 ** retry, MAX_DELAY_MS);
  await sleep(Math.ceil(random() * maxMs));
}

const isThrottled = (error: unknown): boolean => error instanceof Error && THROTTLED.has(error.name);
