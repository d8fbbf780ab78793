import type { Log } from '../../shared/aws/log.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Clock, Telemetry } from '../../shared/ports/ports.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';

/** What becomes of the hints; for metrics and logs. */
interface QueueObserver {
  /** @param lateMs - how long it waited after it was due */
  started(hint: Hint, lateMs: number): void;
  worked(hint: Hint, tookMs: number, error?: unknown): void;
}

interface HintQueueParts {
  readonly clock: Clock;
  readonly work: (hint: Hint) => Promise<void>;
  readonly observer?: QueueObserver;
}

/** The work queue of a process that lives on. What it holds is gone with it: the sweep knows it all. */
export interface HintQueue extends WorkQueue {
  /** Begins to hand hints over. Until then, and after `pause`, they wait. */
  start(): void;
  /** Hands over nothing more; resolves when what is under way is done. */
  pause(): Promise<void>;
  /** Hints that are due and wait, by topic. */
  depth(): Readonly<Partial<Record<Hint['topic'], number>>>;
}

interface QueuedHint {
  readonly hint: Hint;
  readonly at: EpochMs;
  /** How often in a row it has failed. */
  readonly failures: number;
}

/** The longest that a timer of Node's takes; who is woken early looks and waits on. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Equal hints that wait are one and keep the earliest time; one that comes while its like is worked
 * is worked after it. What fails is tried again, later each time.
 */
export function createHintQueue({ clock, work, observer }: HintQueueParts): HintQueue {
  const waiting = new Map<string, QueuedHint>();
  const running = new Map<
    string,
    { readonly topic: Hint['topic']; readonly done: Promise<void> }
  >();
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;

  function enqueue(hint: Hint, at: EpochMs, failures = 0): void {
    const key = hintKey(hint);
    const queued = waiting.get(key);
    if (queued && queued.at <= at) return;
    waiting.set(key, { hint, at, failures: Math.max(failures, queued?.failures ?? 0) });
    scheduleNext();
  }

  function scheduleNext(): void {
    clearTimeout(timer);
    if (!isOpen || waiting.size === 0) return;
    const next = Math.min(...[...waiting].filter(canStart).map(([, { at }]) => at));
    if (!Number.isFinite(next)) return;
    const delayMs = Math.min(Math.max(next - clock.now(), 0), MAX_TIMER_MS);
    timer = setTimeout(startDueHints, delayMs);
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
      clearTimeout(timer);
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

/** 1 s, 2 s, 4 s ... up to a minute. */
const computeRetryDelayMs = (failures: number): number =>
  Math.min(SECOND_MS * 2 ** Math.min(failures, 10), MINUTE_MS);

type Topic = Hint['topic'];

/** Plans follow one another, as do disruptions and sweeps; claims do not wait for each other. */
const MAX_CONCURRENT: Readonly<Partial<Record<Topic, number>>> = { claim: 10, interruption: 10 };

const maxConcurrent = (topic: Topic): number => MAX_CONCURRENT[topic] ?? 1;

/** Equal for hints that say the same. When a notice was given does not matter. */
const hintKey = (hint: Hint): string =>
  hint.topic === 'interruption'
    ? `interruption ${hint.notice.kind} ${hint.notice.providerId}`
    : JSON.stringify(hint);

/** What becomes of hints, in controller-runtime's words and figures. */
export const createQueueObserver = (telemetry: Telemetry, log: Log): QueueObserver => ({
  started({ topic }, lateMs) {
    telemetry.observe('workqueue_queue_duration_seconds', { name: topic }, lateMs / SECOND_MS);
  },
  worked(hint, tookMs, error) {
    const controller = hint.topic;
    const result = error === undefined ? 'success' : 'error';
    telemetry.count('controller_runtime_reconcile_total', { controller, result });
    telemetry.observe(
      'controller_runtime_reconcile_time_seconds',
      { controller },
      tookMs / SECOND_MS,
    );
    if (error === undefined) return;
    telemetry.count('controller_runtime_reconcile_errors_total', { controller });
    log({ level: 'error', message: 'turn failed', fields: toFailureFields(hint, error) });
  },
});

const toFailureFields = (hint: Hint, error: unknown) => ({
  hint,
  error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
});
