import { SECOND_MS } from '../../shared/model/time.ts';

/** How often, and how long each time, an answer is waited for. */
export interface ClientTimeouts {
  readonly maxAttempts: number;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
}

/**
 * Left to themselves the SDK's clients wait for as long as a connection stands. A function that was
 * frozen wakes with connections that nobody hears any more, and would wait until its time is over.
 */
const clientTimeouts = (maxAttempts: number, answerMs: number): ClientTimeouts => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: SECOND_MS,
    requestTimeout: answerMs,
    // Without it the SDK says that time is over, and waits on.
    throwOnRequestTimeout: true,
  },
});

/** DynamoDB and SQS answer within milliseconds, or not at all. */
export const SHORT_TIMEOUTS = clientTimeouts(3, 3 * SECOND_MS);
/** A page of objects, a decision that is stored. */
export const DEFAULT_TIMEOUTS = clientTimeouts(3, 8 * SECOND_MS);
/** A fleet of a hundred takes seconds; and in all less than that after which a launch counts as dead. */
export const LAUNCH_TIMEOUTS = clientTimeouts(2, 13 * SECOND_MS);
/** Where AWS is out of reach, as in a VPC without the endpoint, the sweep must not wait for it. */
export const UNREACHABLE_TIMEOUTS = clientTimeouts(2, 4 * SECOND_MS);
