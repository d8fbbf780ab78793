import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { PendingPods } from '../../ports/cluster.ts';
import type { PollLoop, PollMessage, PollState } from '../../ports/work-queue.ts';
import type { Ports } from '../../ports/ports.ts';

export interface PollPorts extends Pick<Ports, 'clock' | 'queue'> {
  readonly loop: PollLoop;
  readonly pendingPods: PendingPods;
}

const POLL_EVERY_MS = 5 * SECOND_MS;
/** A loop that has missed this much has lost its message. */
const STALE_AFTER_MS = 20 * SECOND_MS;
/** Bounds what a loop costs that nobody wants any more. */
const LOOP_MS = HOUR_MS;
const RENEW_BEFORE_MS = 5 * MINUTE_MS;

/**
 * One turn of the loop: looks for pods that wait, tells if they are others than a turn ago, and has
 * itself called again. A message that comes twice, or of a loop that was replaced, ends here.
 */
export async function takePollTurn(ports: PollPorts, message: PollMessage): Promise<void> {
  const { clock, loop, queue } = ports;
  const now = clock.now();
  if (now >= message.until || !(await loop.take(message, now))) return;

  const waiting = await waitingOr(ports, message.waiting);
  // Before the hint: the loop must not end with a queue that fails once.
  await loop.send({ ...message, turn: message.turn + 1, waiting }, now + POLL_EVERY_MS);
  if (waiting !== '' && waiting !== message.waiting) await queue.send({ topic: 'plan' });
}

/** An API server that does not answer is asked again: what it would have told is not known. */
async function waitingOr({ pendingPods }: PollPorts, before: string): Promise<string> {
  try {
    return await pendingPods.waiting();
  } catch {
    return before;
  }
}

/** Sees to it that the loop runs if it is wanted, once, and ends if it is not. */
export async function keepPolling(
  { clock, loop }: Pick<PollPorts, 'clock' | 'loop'>,
  isWanted: boolean,
): Promise<void> {
  const now = clock.now();
  const seen = await loop.find();
  const isOn = seen !== undefined && now < seen.until;
  if (!isWanted) {
    if (isOn) await loop.replace(successor(seen, { at: now, until: now }), seen);
    return;
  }
  const isWell = isOn && now < seen.at + STALE_AFTER_MS && now < seen.until - RENEW_BEFORE_MS;
  if (isWell) return;

  const next = successor(seen, { at: now, until: now + LOOP_MS });
  if (!(await loop.replace(next, seen))) return;
  const { generation, turn, until } = next;
  await loop.send({ generation, turn, until, waiting: '' }, now);
}

const successor = (
  seen: PollState | undefined,
  times: Pick<PollState, 'at' | 'until'>,
): PollState => ({ generation: (seen?.generation ?? 0) + 1, turn: 0, ...times });
