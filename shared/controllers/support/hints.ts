import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Hint, WakeUps, WorkQueue } from '../../ports/work-queue.ts';

/** Queues hold a message no longer: a wake-up that is further away comes early, and asks again. */
const MAX_DELAY_MS = 15 * MINUTE_MS;

/**
 * A queue in which each claim has one wake-up, the earliest that was asked for. Without that every
 * look at a claim that waits for long would leave a message behind, and each of those the next: the
 * sweep alone adds one a minute.
 */
export const withSingleWakeUps = (queue: WorkQueue, wakeUps: WakeUps, clock: Clock): WorkQueue => ({
  async send(hint, at) {
    const now = clock.now();
    if (hint.topic !== 'claim' || at === undefined || at <= now) return queue.send(hint, at);

    const due = Math.min(at, now + MAX_DELAY_MS);
    const pending = await wakeUps.find(hint.claim);
    if (pending && pending.at > now && pending.at <= due) return;
    const generation = (pending?.generation ?? 0) + 1;
    const isSaved = await wakeUps.save(hint.claim, { generation, at: due });
    // Whoever was quicker asked at the same moment, and may have asked for later.
    await queue.send(isSaved ? { ...hint, generation } : hint, due);
  },
});

/** Whether a hint is none that was replaced by another: those are dropped, so that chains do not multiply. */
export async function isCurrentWakeUp(
  { wakeUps }: { readonly wakeUps: WakeUps },
  hint: Extract<Hint, { topic: 'claim' }>,
): Promise<boolean> {
  if (hint.generation === undefined) return true;
  const current = await wakeUps.find(hint.claim);
  return current === undefined || current.generation === hint.generation;
}

/** How often disruption is decided on while there is something to decide. */
const DISRUPTION_BUCKET_MS = 10 * SECOND_MS;

/**
 * Has disruption looked at again, at `at` or up to ten seconds later: many reasons to look fall
 * onto one turn, and equal hints are one.
 */
export const requestDisruption = async (
  { queue }: { readonly queue: WorkQueue },
  at: EpochMs,
): Promise<void> => queue.send({ topic: 'disrupt' }, Math.ceil(at / DISRUPTION_BUCKET_MS) * DISRUPTION_BUCKET_MS);
