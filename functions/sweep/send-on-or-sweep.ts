import { parseHint } from '../../shared/aws/queues/hint-schema.ts';
import { ApiThrottledError, ApiUnreachableError } from '../../shared/kubernetes/client/api-errors.ts';
import type { Clock, Telemetry } from '../../shared/ports/ports.ts';
import type { WorkQueue } from '../../shared/ports/work-queue.ts';
import type { OnRecord } from '../support/each-record.ts';
import { recordFailures } from '../support/figures.ts';
import { computeNextRetry } from '../support/one-turn.ts';
import { logger } from '../support/telemetry.ts';

export interface SweepPorts {
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/** Ten seconds apart they last until the next tick, which has as many again. */
const MAX_ATTEMPTS = 6;

/**
 * Sweeps when the schedule says so. All else in the queue are wake-ups that waited here, for an
 * ordered queue cannot hold a single message back: their time has come.
 *
 * While the API server is away a sweep is tried again every ten seconds: the first that gets through
 * has everything looked at that was lost meanwhile. A failed message comes back after minutes.
 */
export const sendOnOrSweep =
  ({ clock, queue, telemetry }: SweepPorts, sweep: () => Promise<void>): OnRecord =>
  async ({ body, messageId }) => {
    const hint = parseHint(body);
    if (!hint) return logger.warn('message ignored', { messageId });
    if (hint.topic !== 'sweep') return queue.send(hint);

    const noteSweep = (): void => telemetry.count('mortise_sweeps_total', {});
    try {
      await sweep();
      noteSweep();
    } catch (error) {
      if (!isAway(error)) {
        // A part has failed; the others have found what there was to find.
        noteSweep();
        throw error;
      }
      logger.error('turn failed', { topic: hint.topic, error });
      recordFailures(1);
      const tries = (hint.tries ?? 0) + 1;
      if (tries < MAX_ATTEMPTS) await queue.send({ ...hint, tries }, computeNextRetry(clock.now()));
    }
  };

/** Of several parts that failed, all for want of an answer. */
const isAway = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isAway)
    : error instanceof ApiUnreachableError || error instanceof ApiThrottledError;
