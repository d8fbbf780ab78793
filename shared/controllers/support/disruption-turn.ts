import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { WorkQueue } from '../../ports/work-queue.ts';

/** How often disruption is decided on while there is something to decide. */
const TURN_MS = 10 * SECOND_MS;

/**
 * Has disruption looked at again, at `at` or up to ten seconds later: many reasons to look fall
 * onto one turn, and equal hints are one.
 */
export const requestTurn = async (
  { queue }: { readonly queue: WorkQueue },
  at: EpochMs,
): Promise<void> => queue.send({ topic: 'disrupt' }, Math.ceil(at / TURN_MS) * TURN_MS);
