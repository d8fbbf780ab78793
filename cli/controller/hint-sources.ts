import { SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '../../shared/aws/log.ts';
import { type EpochMs, MINUTE_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { type AwsFlags, toClientSettings } from '../cluster/aws-flags.ts';
import type { ControllerRuntime } from './controller-runtime.ts';
import { type NoticeQueueParts, readNotices } from './interruption-queue.ts';

/** What the cluster's watches see, as hints. */
export const createWatchSource = (
  { view }: Pick<ControllerRuntime, 'view'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): HintSource => {
  let unsubscribe = (): void => {};
  return {
    start({ send }) {
      unsubscribe = view.subscribe({
        onHint: ({ hint, afterMs }) => send(hint, clock.now() + afterMs),
        onError: (error) =>
          log({ level: 'warn', message: 'watch not open', fields: { error: String(error) } }),
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

/** What EC2 tells. A notice is answered at once, past the queue: it comes again if that fails. */
export const createNoticeSource = ({ flags, ...parts }: NoticeSourceParts): HintSource => {
  let stop = async (): Promise<void> => {};
  return {
    start({ isOwner }) {
      stop = readNotices({ ...parts, isOwner, sqs: new SQSClient(toClientSettings(flags)) });
    },
    stop: () => stop(),
  };
};

/** Where hints come from while the process lives. */
export interface HintSource {
  start(listener: HintListener): void;
  stop(): Promise<void>;
}

interface HintListener {
  /** At once, or at a time. */
  send(hint: Hint, at?: EpochMs): void;
  /** On stand-by what is meant for the owner is left to it. */
  isOwner(): boolean;
}

/** As the deployed schedules: what an event missed is found a minute later. */
const SCHEDULE_MS = MINUTE_MS;

/** @param everyMs - between two rounds; the first one comes at once */
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
