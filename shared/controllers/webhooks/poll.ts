import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { PendingPods } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import type { PollLoop, PollMessage, PollState } from '../../ports/work-queue.ts';

export interface PollPorts extends Pick<Ports, 'clock' | 'queue'> {
  readonly loop: PollLoop;
  readonly pendingPods: PendingPods;
}

const POLL_EVERY_MS = 5 * SECOND_MS;
/** A loop that has missed this much has lost its message. */
const STALE_AFTER_MS = 20 * SECOND_MS;
/** Bounds what a loop costs that nobody wants any more. */
const MAX_LOOP_MS = HOUR_MS;
const RENEW_BEFORE_MS = 5 * MINUTE_MS;

/**
 * One turn of the loop: looks for pods that wait, tells if they are others than a turn ago, and has
 * itself called again. A message that comes twice, or of a loop that was replaced, ends here.
 */
export async function pollOnce(ports: PollPorts, message: PollMessage): Promise<void> {
  const { clock, loop, queue } = ports;
  const now = clock.now();
  if (now >= message.until || !(await loop.take(message, now))) return;

  const waiting = await readWaitingPods(ports, message.waiting);
  // Before the hint: the loop must not end with a queue that fails once.
  await loop.send({ ...message, turn: message.turn + 1, waiting }, now + POLL_EVERY_MS);
  if (waiting !== '' && waiting !== message.waiting) await queue.send({ topic: 'plan' });
}

/** An API server that does not answer is asked again: what it would have told is not known. */
async function readWaitingPods({ pendingPods }: PollPorts, before: string): Promise<string> {
  try {
    return await pendingPods.waiting();
  } catch {
    return before;
  }
}

/** Sees to it that the loop runs if it is wanted, once, and ends if it is not. */
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

const toNextState = (
  state: PollState | undefined,
  times: Pick<PollState, 'at' | 'until'>,
): PollState => ({ generation: (state?.generation ?? 0) + 1, turn: 0, ...times });
