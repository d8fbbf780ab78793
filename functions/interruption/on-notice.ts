import { parseHint } from '../../shared/aws/hint-schema.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { InterruptionNotice } from '../../shared/ports/work-queue.ts';
import type { OnRecord } from '../support/each-record.ts';
import { logger } from '../support/telemetry.ts';
import { isStale, parseNotices } from './parse-notices.ts';

/** Has each notice of a message answered: an event of EventBridge's, or one of ours sent anew. */
export const onNotice =
  (clock: Clock, answer: (notice: InterruptionNotice) => Promise<void>): OnRecord =>
  async ({ body, messageId }) => {
    const notices = parseNotices(body) ?? retriedNotice(body);
    // No retry cures a message we cannot read: let it go, and leave a trace.
    if (!notices) return logger.warn('message ignored', { messageId });

    for (const notice of notices) {
      if (isStale(notice, clock.now())) logger.warn('notice too old', { messageId, notice });
      else await answer(notice);
    }
  };

/** The record of a launch may have been on its way when the event came. */
function retriedNotice(body: string): readonly InterruptionNotice[] | undefined {
  const hint = parseHint(body);
  return hint?.topic === 'interruption' ? [hint.notice] : undefined;
}
