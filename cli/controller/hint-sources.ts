import { SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '../../shared/aws/log.ts';
import { type EpochMs, MINUTE_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { type AwsFlags, toClientSettings } from '../cluster/aws-flags.ts';
import type { ControllerRuntime } from './controller-runtime.ts';
import { type NoticeQueueParts, readNotices } from './interruption-queue.ts';

/** Hints from the cluster's watches. */
export const createWatchSource = (
  { view }: Pick<ControllerRuntime, 'view'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): HintSource => {
  let unsubscribe = (): void => {};
  return {
    start({ send }) {
      unsubscribe = view.subscribe({
        onHint: ({ hint, afterMs }) => send(hint, clock.now() + afterMs),
        onError: (error) => log({ level: 'warn', message: 'watch not open', fields: { error: String(error) } }),
      });
    },
    async stop() {
      unsubscribe();
    },
  };
};

interface NoticeSourceParts extends Omit<NoticeQueueParts, 'sqs' | 'isOwner'> {
  readonly flags: AwsFlags;
}

/**
 * EC2's notices. Each is handled at once instead of being queued: if that fails, SQS delivers it
 * again.
 */
export const createNoticeSource = ({ flags, ...parts }: NoticeSourceParts): HintSource => {
  let stop = async (): Promise<void> => {};
  return {
    start({ isOwner }) {
      stop = readNotices({ ...parts, isOwner, sqs: new SQSClient(toClientSettings(flags)) });
    },
    stop: () => stop(),
  };
};

/** A source of hints while the process runs. */
export interface HintSource {
  start(listener: HintListener): void;
  stop(): Promise<void>;
}

interface HintListener {
  /**
   * @param at - when the hint is due; `undefined` for now
   */
  send(hint: Hint, at?: EpochMs): void;
  /** False on stand-by: work for the owner is left to the owner. */
  isOwner(): boolean;
}

/** Equal to the stack's schedules: missed events are found a minute later. */
const SCHEDULE_MS = MINUTE_MS;

/**
 * @param everyMs - the interval; the first round starts at once
 */
export function createScheduleSource(hints: readonly Hint[], everyMs = SCHEDULE_MS): HintSource {
  let timer: NodeJS.Timeout | undefined;

  return {
    start({ send }) {
      const tick = (): void => {
        for (const hint of hints) send(hint);
      };
      tick();
      timer = setInterval(tick, everyMs);
    },
    async stop() {
      clearInterval(timer);
    },
  };
}

/**
 * Runs `check` each minute, one at a time, also while the API server is unreachable and no hint is
 * handled. A failed check is reported and runs again a minute later.
 */
export function createCheckSource(
  check: () => Promise<void>,
  onError: (error: unknown) => void,
  everyMs = SCHEDULE_MS,
): HintSource {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const tick = (): void => {
    running ??= check()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  };

  return {
    start() {
      tick();
      timer = setInterval(tick, everyMs);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
