import { parseHint } from '../../shared/aws/hint-schema.ts';
import type { WorkQueue } from '../../shared/ports/work-queue.ts';
import type { OnRecord } from '../support/each-record.ts';
import { logger } from '../support/telemetry.ts';

/**
 * Sweeps when the schedule says so. All else in the queue are wake-ups that waited here, for an
 * ordered queue cannot hold a single message back: their time has come.
 */
export const sendOnOrSweep =
  (queue: WorkQueue, sweep: () => Promise<void>): OnRecord =>
  async ({ body, messageId }) => {
    const hint = parseHint(body);
    if (!hint) return logger.warn('message ignored', { messageId });

    await (hint.topic === 'sweep' ? sweep() : queue.send(hint));
  };
