import type { EpochMs } from '../model/time.ts';
import type { Hint, WorkQueue } from '../ports/work-queue.ts';
import type { VirtualClock } from './world.ts';

export interface SimWorkQueue extends WorkQueue {
  /** Synchronous `send` for the simulation's own components. */
  put(hint: Hint, at?: EpochMs): void;
  /** Delivers hints to `handler` one at a time, including those already queued. */
  consume(handler: (hint: Hint) => Promise<void>): void;
}

/**
 * Minimum time from `send` to the handler, so that a handler that sends hints cannot stop the
 * clock.
 */
const LATENCY_MS = 20;

/** Equal waiting hints are merged and keep the earliest time. */
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
    // The hint was moved forward and delivered already.
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
      return `claim ${hint.claim}${hint.inDoubt ? ' in doubt' : ''}${hint.isUnlisted ? ' unlisted' : ''}`;
    case 'interruption':
      return `interruption ${hint.notice.kind} ${hint.notice.providerId}`;
    case 'plan':
    case 'disrupt':
    case 'sweep':
    case 'class':
      return hint.topic;
  }
}
