import { SECOND_MS } from '../../shared/model/time.ts';

/** Number of attempts and time limits of an AWS SDK client. */
export interface ClientTimeouts {
  readonly maxAttempts: number;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
}

/**
 * Without limits the SDK's clients wait as long as the connection stands. A thawed Lambda must not
 * reuse a connection that the NAT has dropped.
 */
const clientTimeouts = (maxAttempts: number, answerMs: number): ClientTimeouts => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: SECOND_MS,
    requestTimeout: answerMs,
    // Without this the SDK only logs a timeout and keeps waiting.
    throwOnRequestTimeout: true,
  },
});

/** DynamoDB and SQS answer within milliseconds or not at all. */
export const SHORT_TIMEOUTS = clientTimeouts(3, 3 * SECOND_MS);
/** For a page of objects, or a decision that is stored. */
export const DEFAULT_TIMEOUTS = clientTimeouts(3, 8 * SECOND_MS);
/**
 * CreateFleet for a hundred instances takes seconds. Both attempts together stay below the time
 * after which a launch counts as dead.
 */
export const LAUNCH_TIMEOUTS = clientTimeouts(2, 13 * SECOND_MS);
/** A VPC without the endpoint drops these calls; the sweep must not wait for them. */
export const UNREACHABLE_TIMEOUTS = clientTimeouts(2, 4 * SECOND_MS);
