import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import type { ConcurrentClock } from './concurrent-clock.ts';
import type { FaultPlan } from './fault-plan.ts';

type Topic = Hint['topic'];

/** How a run ended: `failed` with an error of its own, `died` without an answer. */
export type RunEnd = 'done' | 'failed' | 'died';

/** Runs a function for a hint; `onEnd` is called once. */
export type RunFunction = (hint: Hint, onEnd: (end: RunEnd) => void) => void;

interface QueueSettings {
  readonly isFifo: boolean;
  readonly visibilityMs: number;
  readonly maxConcurrency: number;
}

/** As `infra/constructs/work-queues.ts` and `infra/workers.ts` deploy them. */
const QUEUES: Readonly<Record<Topic, QueueSettings>> = {
  plan: { isFifo: true, visibilityMs: 150 * SECOND_MS, maxConcurrency: 1 },
  disrupt: { isFifo: true, visibilityMs: 330 * SECOND_MS, maxConcurrency: 1 },
  claim: { isFifo: false, visibilityMs: 360 * SECOND_MS, maxConcurrency: 10 },
  sweep: { isFifo: false, visibilityMs: 90 * SECOND_MS, maxConcurrency: 5 },
  interruption: { isFifo: false, visibilityMs: 20 * SECOND_MS, maxConcurrency: 10 },
  class: { isFifo: false, visibilityMs: 90 * SECOND_MS, maxConcurrency: 2 },
};
const MAX_RECEIVES = 5;
const MAX_DELAY_MS = 15 * MINUTE_MS;
const LATENCY_MS = 20;
const BUCKET_MS = 250;
const RETRY_EVERY_MS = 10 * SECOND_MS;
const THROTTLED_MS = SECOND_MS;
/** A batch that is received again starts within this time. */
const MAX_OVERLAP_MS = 3 * SECOND_MS;

interface Message {
  readonly hint: Hint;
  receives: number;
}

export interface MessageQueues {
  send(hint: Hint, at?: EpochMs): void;
  /** Messages that were given up after too many receives. */
  readonly deadLetters: readonly Hint[];
}

/**
 * SQS with the consumers of the functions: visibility, redelivery, blocked FIFO groups, dead letters.
 * Loses, repeats and delays messages as the fault plan says.
 */
export function createMessageQueues(clock: ConcurrentClock, faults: FaultPlan, run: RunFunction): MessageQueues {
  const deadLetters: Hint[] = [];
  const running = new Map<Topic, number>();
  /** Waiting messages of the FIFO queues. */
  const groups = new Map<Topic, Message[]>();
  const lastBucket = new Map<Topic, number>();

  function send(hint: Hint, at: EpochMs = clock.now()): void {
    if (faults.strike('lose-message')) return;
    const delayMs = Math.min(Math.ceil((at - clock.now()) / SECOND_MS) * SECOND_MS, MAX_DELAY_MS);
    const copies = faults.strike('repeat-message')?.copies ?? 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const lateMs = faults.strike('delay-message')?.ms ?? 0;
      clock.startAfter(Math.max(delayMs, 0) + lateMs + LATENCY_MS, () => deliver({ hint, receives: 0 }));
    }
  }

  function deliver(message: Message): void {
    const { topic } = message.hint;
    if (QUEUES[topic].isFifo) enqueue(topic, message);
    else receive(message, QUEUES[topic]);
  }

  function receive(message: Message, settings: QueueSettings): void {
    const { topic } = message.hint;
    const count = running.get(topic) ?? 0;
    if (count >= settings.maxConcurrency) {
      clock.startAfter(THROTTLED_MS, () => receive(message, settings));
      return;
    }
    message.receives += 1;
    if (message.receives > MAX_RECEIVES) {
      deadLetters.push(message.hint);
      return;
    }
    running.set(topic, count + 1);
    run(message.hint, (end) => {
      running.set(topic, (running.get(topic) ?? 1) - 1);
      if (end !== 'done') clock.startAfter(settings.visibilityMs, () => deliver(message));
    });
  }

  /** SQS drops all but the first message of a bucket. */
  function enqueue(topic: Topic, message: Message): void {
    const bucket = Math.floor(clock.now() / BUCKET_MS);
    if (message.receives === 0 && lastBucket.get(topic) === bucket) return;
    lastBucket.set(topic, bucket);
    const group = groups.get(topic) ?? [];
    groups.set(topic, [...group, message]);
    if (!running.get(topic)) consume(topic);
  }

  /** Runs once for all waiting messages. A run that dies blocks its group until they return. */
  function consume(topic: Topic): void {
    const batch = (groups.get(topic) ?? []).slice(0, 10);
    const [first] = batch;
    if (!first) return;
    running.set(topic, 1);
    for (const message of batch) message.receives += 1;
    const release = (): void => {
      const rest = (groups.get(topic) ?? []).filter((message) => !batch.includes(message));
      groups.set(topic, rest);
      running.set(topic, 0);
      consume(topic);
    };
    // The handler waits until the bucket has ended.
    clock.startAfter(2 * BUCKET_MS, () => {
      run(first.hint, (end) => {
        if (end === 'failed') send(first.hint, nextRetry(clock.now()));
        if (end !== 'died') release();
        else clock.startAfter(QUEUES[topic].visibilityMs, () => retryBatch(topic, batch, release));
      });
      if (faults.strike('overlapping-run'))
        clock.startAfter(1 + (clock.now() % MAX_OVERLAP_MS), () => run(first.hint, () => {}));
    });
  }

  function retryBatch(topic: Topic, batch: readonly Message[], release: () => void): void {
    const isGivenUp = batch.every(({ receives }) => receives >= MAX_RECEIVES);
    if (isGivenUp) {
      deadLetters.push(...batch.map(({ hint }) => hint));
      release();
    } else {
      running.set(topic, 0);
      consume(topic);
    }
  }

  return { send, deadLetters };
}

const nextRetry = (now: EpochMs): EpochMs => (Math.floor(now / RETRY_EVERY_MS) + 1) * RETRY_EVERY_MS;
