import type { Log } from '../../shared/aws/log.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Clock, Telemetry } from '../../shared/ports/ports.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';

/** Receives the progress of hints, for metrics and logs. */
interface QueueObserver {
  /**
   * @param lateMs - how long the hint waited after it was due
   */
  started(hint: Hint, lateMs: number): void;
  worked(hint: Hint, tookMs: number, error?: unknown): void;
}

interface HintQueueParts {
  readonly clock: Clock;
  readonly work: (hint: Hint) => Promise<void>;
  readonly observer?: QueueObserver;
  /** Default: those of Node. */
  readonly timers?: Timers;
}

/** Waits for a time, for example on the clock of a simulation. */
export interface Timers {
  /** @returns a function that cancels the timer */
  start(work: () => void, ms: number): () => void;
}

const NODE_TIMERS: Timers = {
  start(work, ms) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * The work queue of a long-running process. Its content is lost with the process; the sweep finds
 * the work again.
 */
export interface HintQueue extends WorkQueue {
  /** Starts handing out hints. Before that, and after `pause`, hints wait. */
  start(): void;
  /** Hands out no more hints; resolves when the running ones are finished. */
  pause(): Promise<void>;
  /** The number of due hints that wait, by topic. */
  depth(): Readonly<Partial<Record<Hint['topic'], number>>>;
}

interface QueuedHint {
  readonly hint: Hint;
  readonly at: EpochMs;
  /** The number of consecutive failures. */
  readonly failures: number;
}

/** Node's longest timer. If it fires early, the queue waits again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Merges equal hints that wait and keeps the earliest time. A hint that arrives while an equal one
 * is running runs after it. Failed hints are retried with back-off.
 */
export function createHintQueue({ clock, work, observer, timers = NODE_TIMERS }: HintQueueParts): HintQueue {
  const waiting = new Map<string, QueuedHint>();
  const running = new Map<string, { readonly topic: Hint['topic']; readonly done: Promise<void> }>();
  let isOpen = false;
  let cancelTimer = (): void => {};

  function enqueue(hint: Hint, at: EpochMs, failures = 0): void {
    const key = hintKey(hint);
    const queued = waiting.get(key);
    if (queued && queued.at <= at) return;
    waiting.set(key, { hint, at, failures: Math.max(failures, queued?.failures ?? 0) });
    scheduleNext();
  }

  function scheduleNext(): void {
    cancelTimer();
    if (!isOpen || waiting.size === 0) return;
    const next = Math.min(...[...waiting].filter(canStart).map(([, { at }]) => at));
    if (!Number.isFinite(next)) return;
    const delayMs = Math.min(Math.max(next - clock.now(), 0), MAX_TIMER_MS);
    cancelTimer = timers.start(startDueHints, delayMs);
  }

  const canStart = ([key, { hint }]: readonly [string, QueuedHint]): boolean =>
    !running.has(key) && countRunning(hint.topic) < maxConcurrent(hint.topic);

  const countRunning = (searchedTopic: Hint['topic']): number =>
    [...running.values()].filter(({ topic }) => topic === searchedTopic).length;

  function startDueHints(): void {
    const now = clock.now();
    const due = [...waiting].filter(([, { at }]) => at <= now).toSorted(byDueTime);
    for (const entry of due) {
      if (isOpen && canStart(entry)) startHint(...entry);
    }
    scheduleNext();
  }

  function startHint(key: string, startedHint: QueuedHint): void {
    waiting.delete(key);
    const done = workHint(startedHint).finally(() => {
      running.delete(key);
      scheduleNext();
    });
    running.set(key, { topic: startedHint.hint.topic, done });
  }

  async function workHint({ hint, at, failures }: QueuedHint): Promise<void> {
    const began = clock.now();
    observer?.started(hint, began - at);
    try {
      await work(hint);
      observer?.worked(hint, clock.now() - began);
    } catch (error) {
      observer?.worked(hint, clock.now() - began, error);
      enqueue(hint, clock.now() + computeRetryDelayMs(failures), failures + 1);
    }
  }

  return {
    send: async (hint, at) => enqueue(hint, at ?? clock.now()),
    start() {
      isOpen = true;
      scheduleNext();
    },
    async pause() {
      isOpen = false;
      cancelTimer();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
    depth() {
      const now = clock.now();
      const due = [...waiting.values()].filter(({ at }) => at <= now);
      const byTopic = Map.groupBy(due, ({ hint }) => hint.topic);
      return Object.fromEntries([...byTopic].map(([topic, { length }]) => [topic, length]));
    },
  };
}

const byDueTime = ([, a]: [string, QueuedHint], [, b]: [string, QueuedHint]): number => a.at - b.at;

/** 1 s, 2 s, 4 s and so on, up to a minute. */
const computeRetryDelayMs = (failures: number): number => Math.min(SECOND_MS * 2 ** Math.min(failures, 10), MINUTE_MS);

type Topic = Hint['topic'];

/** Plans, disruptions and sweeps run one at a time; claims run in parallel. */
const MAX_CONCURRENT: Readonly<Partial<Record<Topic, number>>> = { claim: 10, interruption: 10 };

const maxConcurrent = (topic: Topic): number => MAX_CONCURRENT[topic] ?? 1;

const MAX_FIRST_TRIES = 3;

/**
 * For records in memory, which start empty: no hint is worked before the EC2NodeClasses are resolved and a
 * sweep has adopted the running instances, or pending pods would get further nodes. What fails thrice does
 * not hold up the rest.
 */
export function sweepFirst(work: (hint: Hint) => Promise<void>): {
  work(hint: Hint): Promise<void>;
  /** Another process may have launched nodes: the next hint sweeps again. */
  forget(): void;
} {
  let adoption: Promise<void> | undefined;
  let failures = 0;

  async function adopt(): Promise<void> {
    try {
      await work({ topic: 'class' });
      await work({ topic: 'sweep' });
    } catch (error) {
      failures += 1;
      adoption = failures < MAX_FIRST_TRIES ? undefined : Promise.resolve();
      throw error;
    }
  }

  return {
    async work(hint) {
      adoption ??= adopt();
      await adoption;
      await work(hint);
    },
    forget() {
      [adoption, failures] = [undefined, 0];
    },
  };
}

/** Equal for hints with the same meaning; the time of a notice is ignored. */
const hintKey = (hint: Hint): string =>
  hint.topic === 'interruption' ? `interruption ${hint.notice.kind} ${hint.notice.providerId}` : JSON.stringify(hint);

/** Records the progress of hints in controller-runtime's metrics. */
export const createQueueObserver = (telemetry: Telemetry, log: Log): QueueObserver => ({
  started({ topic }, lateMs) {
    telemetry.observe('workqueue_queue_duration_seconds', { name: topic }, lateMs / SECOND_MS);
  },
  worked(hint, tookMs, error) {
    const controller = hint.topic;
    const result = error === undefined ? 'success' : 'error';
    telemetry.count('controller_runtime_reconcile_total', { controller, result });
    telemetry.observe('controller_runtime_reconcile_time_seconds', { controller }, tookMs / SECOND_MS);
    if (error === undefined) return;
    telemetry.count('controller_runtime_reconcile_errors_total', { controller });
    log({ level: 'error', message: 'turn failed', fields: toFailureFields(hint, error) });
  },
});

const toFailureFields = (hint: Hint, error: unknown) => ({
  hint,
  error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
});
