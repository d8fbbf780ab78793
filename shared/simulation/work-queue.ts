import type { EpochMs } from '../model/time.ts';
import type { Hint, WorkQueue } from '../ports/work-queue.ts';
import type { VirtualClock } from './world.ts';

export interface SimWorkQueue extends WorkQueue {
  /** The same at once, for those who are part of the world. */
  put(hint: Hint, at?: EpochMs): void;
  /** Hands over hints from now on, one at a time, and those that came before. */
  consume(handler: (hint: Hint) => Promise<void>): void;
}

/** From `send` to the handler, at least: so a handler that sends a hint cannot stop the clock. */
const LATENCY_MS = 20;

/** Equal hints that wait are one, and keep the earliest time. */
export function createWorkQueue(clock: VirtualClock): SimWorkQueue {
  const pendingHints = new Map<string, { readonly hint: Hint; readonly at: EpochMs }>();
  let handler: ((hint: Hint) => Promise<void>) | undefined;

  function put(hint: Hint, at: EpochMs = clock.now()): void {
    const key = hintKey(hint);
    const due = Math.max(at, clock.now() + LATENCY_MS);
    if ((pendingHints.get(key)?.at ?? Number.POSITIVE_INFINITY) <= due) return;
    pendingHints.set(key, { hint, at: due });
    clock.schedule(due, () => deliver(key, due));
  }

  async function deliver(key: string, due: EpochMs): Promise<void> {
    const entry = pendingHints.get(key);
    // Brought forward since, and handed over already.
    if (!handler || entry?.at !== due) return;
    pendingHints.delete(key);
    await handler(entry.hint);
  }

  return {
    put,
    send: async (hint, at) => put(hint, at),
    consume(consumer) {
      handler = consumer;
      for (const [key, { at }] of pendingHints) clock.schedule(at, () => deliver(key, at));
    },
  };
}

function hintKey(hint: Hint): string {
  switch (hint.topic) {
    case 'claim':
      return `claim ${hint.claim}`;
    case 'interruption':
      return `interruption ${hint.notice.kind} ${hint.notice.providerId}`;
    case 'plan':
    case 'disrupt':
    case 'sweep':
    case 'class':
      return hint.topic;
  }
}
