/*
 * Hints and wake-ups.
 *
 * A hint says where to look, never what happened: the receiver re-reads the state. Hints may come
 * twice, late or not at all. The sweep finds each minute what was missed.
 *
 * Two things keep the number of messages small:
 *
 * Delayed plan and disruption hints have buckets of 10 s. The requested time is rounded up to the end of
 * its bucket, where equal hints arrive together and are one message. Without buckets each run that asks
 * for a retry would continue a chain of its own, and the sweep starts one each minute:
 *
 *     requested     12:00:03  12:00:07        12:00:14
 *     --------------+---------+----|----------+---------|------> time
 *     sent for                12:00:10              12:00:20
 *
 * (The buckets of immediate `plan` and `disrupt` hints are SQS deduplication: aws/queues/work-queue.ts.)
 *
 * Each claim has one wake-up, the earliest requested. Queues cannot take a message back, so a message
 * carries a generation, and only the latest one counts:
 *
 *     request 12:10          request 12:05          request 12:30
 *     generation 1           generation 2           dropped: 12:05 is earlier
 *     -----+----------------------+----------------------+---------------> time
 *                                        12:05 generation 2: reconcile
 *                                        12:10 generation 1: outdated, dropped
 */

import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Hint, WakeUps, WorkQueue } from '../../ports/work-queue.ts';

/**
 * SQS delays a message by 15 minutes at most. A later wake-up arrives early and re-schedules
 * itself.
 */
const MAX_DELAY_MS = 15 * MINUTE_MS;

/**
 * Wraps a queue so that each claim has one pending wake-up, the earliest requested. Otherwise every
 * look at a waiting claim, such as the sweep's each minute, would start another chain of messages.
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
    // Another process scheduled at the same moment, possibly for later: send this hint as well,
    // without a generation.
    await queue.send(isSaved ? { ...hint, generation } : hint, due);
  },
});

/**
 * False if the hint was replaced by a newer wake-up. Such hints are dropped, so that chains do not
 * multiply.
 */
export async function isCurrentWakeUp(
  { wakeUps }: { readonly wakeUps: WakeUps },
  hint: Extract<Hint, { topic: 'claim' }>,
): Promise<boolean> {
  if (hint.generation === undefined) return true;
  const current = await wakeUps.find(hint.claim);
  return current === undefined || current.generation === hint.generation;
}

/** The bucket of delayed hints. */
const BUCKET_MS = 10 * SECOND_MS;
const toBucketEnd = (at: EpochMs): EpochMs => Math.ceil(at / BUCKET_MS) * BUCKET_MS;

/** SQS delays no message of an ordered topic: such a hint travels through the queue of the sweep. */
interface DelayingPorts<T extends 'plan' | 'disrupt'> {
  readonly queue: WorkQueue<T | 'sweep'>;
}

/**
 * Requests a disruption run at `at`, or up to ten seconds later: the time is rounded up to a
 * bucket, in which equal hints are one message.
 */
export const requestDisruption = async ({ queue }: DelayingPorts<'disrupt'>, at: EpochMs): Promise<void> =>
  queue.send({ topic: 'disrupt' }, toBucketEnd(at));

/** Requests a plan at `at`, or up to ten seconds later, for pods that no event will announce. */
export const requestPlan = async ({ queue }: DelayingPorts<'plan'>, at: EpochMs): Promise<void> =>
  queue.send({ topic: 'plan' }, toBucketEnd(at));
