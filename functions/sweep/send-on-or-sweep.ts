import { parseHint } from '../../shared/aws/queues/hint-schema.ts';
import { ApiThrottledError, ApiUnreachableError } from '../../shared/kubernetes/client/api-errors.ts';
import type { Clock, Telemetry } from '../../shared/ports/ports.ts';
import type { WorkQueue } from '../../shared/ports/work-queue.ts';
import type { OnRecord } from '../support/each-record.ts';
import { recordFailures } from '../support/metrics.ts';
import { computeNextRetry } from '../support/on-batch.ts';
import { logger } from '../support/telemetry.ts';

export interface SweepPorts {
  readonly clock: Clock;
  readonly queue: WorkQueue<'plan' | 'disrupt' | 'sweep'>;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/**
 * Ten seconds apart, these attempts last until the next scheduled sweep, which has as many again.
 */
const MAX_ATTEMPTS = 6;

/**
 * Runs the sweep when the schedule asks for it. All other messages in this queue are delayed
 * wake-ups for an ordered queue (SQS cannot delay single messages there): they are sent on.
 *
 * While the API server is unreachable the sweep is retried every ten seconds. The first successful
 * one finds everything that was lost meanwhile.
 */
export const sendOnOrSweep =
  ({ clock, queue, telemetry }: SweepPorts, sweep: (from?: number) => Promise<void>): OnRecord =>
  async ({ body, messageId }) => {
    const hint = parseHint(body);
    if (hint?.topic === 'plan' || hint?.topic === 'disrupt') return queue.send(hint);
    if (hint?.topic !== 'sweep') return logger.warn('message ignored', { messageId });

    const noteSweep = (): void => telemetry.count('mortise_sweeps_total', {});
    try {
      await sweep(hint.from);
      noteSweep();
    } catch (error) {
      if (!isAway(error)) {
        // One part of the sweep failed; the others have completed.
        noteSweep();
        throw error;
      }
      logger.error('turn failed', { topic: hint.topic, error });
      recordFailures(1);
      const tries = (hint.tries ?? 0) + 1;
      if (tries < MAX_ATTEMPTS) await queue.send({ ...hint, tries }, computeNextRetry(clock.now()));
    }
  };

/** An AggregateError counts if all of its parts failed because the API server did not answer. */
const isAway = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isAway)
    : error instanceof ApiUnreachableError || error instanceof ApiThrottledError;
