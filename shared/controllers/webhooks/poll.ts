import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { PendingPods } from '../../ports/cluster.ts';
import type { TopicsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import type { PollLoop, PollMessage, PollState } from '../../ports/work-queue.ts';

export interface PollPorts extends Pick<Ports<TopicsOf<'poll'>>, 'clock' | 'queue'> {
  readonly loop: PollLoop;
  readonly pendingPods: PendingPods;
}

const POLL_EVERY_MS = 5 * SECOND_MS;
/** A loop without a sign for this long has lost its message. */
const STALE_AFTER_MS = 20 * SECOND_MS;
/** Limits the cost of a loop that was not stopped. */
const MAX_LOOP_MS = HOUR_MS;
const RENEW_BEFORE_MS = 5 * MINUTE_MS;

/**
 * Runs one iteration of the poll loop: looks for pending pods, sends a hint if they changed, and
 * schedules the next iteration. Drops duplicate messages and messages of replaced loops.
 */
export async function pollOnce(ports: PollPorts, message: PollMessage): Promise<void> {
  const { clock, loop, queue } = ports;
  const now = clock.now();
  if (now >= message.until || !(await loop.take(message, now))) return;

  const waiting = await readFingerprint(ports, message.waiting);
  // Schedule before the hint: a failing hint queue must not end the loop.
  await loop.send({ ...message, turn: message.turn + 1, waiting }, now + POLL_EVERY_MS);
  if (waiting !== '' && waiting !== message.waiting) await queue.send({ topic: 'plan' });
}

/**
 * If the API server does not answer, the pods count as unchanged and the next iteration asks again.
 */
async function readFingerprint({ pendingPods }: PollPorts, lastFingerprint: string): Promise<string> {
  try {
    return await pendingPods.fingerprint();
  } catch {
    return lastFingerprint;
  }
}

/** Starts the loop if it should run and does not, and stops it if it should not. */
export async function reconcilePollLoop(
  { clock, loop }: Pick<PollPorts, 'clock' | 'loop'>,
  shouldRun: boolean,
): Promise<void> {
  const now = clock.now();
  const state = await loop.find();
  const isOn = state !== undefined && now < state.until;
  if (!shouldRun) {
    if (isOn) await loop.replace(toNextState(state, { at: now, until: now }), state);
    return;
  }
  const isHealthy = isOn && now < state.at + STALE_AFTER_MS && now < state.until - RENEW_BEFORE_MS;
  if (isHealthy) return;

  const next = toNextState(state, { at: now, until: now + MAX_LOOP_MS });
  if (!(await loop.replace(next, state))) return;
  const { generation, turn, until } = next;
  await loop.send({ generation, turn, until, waiting: '' }, now);
}

const toNextState = (state: PollState | undefined, times: Pick<PollState, 'at' | 'until'>): PollState => ({
  generation: (state?.generation ?? 0) + 1,
  turn: 0,
  ...times,
});
