import { SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '../../shared/aws/log.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { type AwsFlags, clientSettings } from './aws-flags.ts';
import type { HintSource } from './hint-source.ts';
import { type NoticeQueueParts, readNotices } from './notice-queue.ts';
import type { ControllerHome } from './open-home.ts';

/** What the cluster's watches see, as hints. */
export const watchSource = (
  { view }: Pick<ControllerHome, 'view'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): HintSource => {
  let unsubscribe = (): void => {};
  return {
    start({ send }) {
      unsubscribe = view.subscribe({
        hear: ({ hint, afterMs }) => send(hint, clock.now() + afterMs),
        trouble: (error) =>
          log({ level: 'warn', message: 'watch not open', fields: { error: String(error) } }),
      });
    },
    async stop() {
      unsubscribe();
    },
  };
};

export interface NoticeSourceParts extends Omit<NoticeQueueParts, 'sqs' | 'isOwner'> {
  readonly flags: AwsFlags;
}

/** What EC2 tells. A notice is answered at once, past the queue: it comes again if that fails. */
export const noticeSource = ({ flags, ...parts }: NoticeSourceParts): HintSource => {
  let stop = async (): Promise<void> => {};
  return {
    start({ isOwner }) {
      stop = readNotices({ ...parts, isOwner, sqs: new SQSClient(clientSettings(flags)) });
    },
    stop: () => stop(),
  };
};
