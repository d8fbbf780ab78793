import { isNoticeStale, listNotices } from '../../shared/aws/queues/interruption-notices.ts';
import { recordNotice } from '../../shared/controllers/metrics/interruption-metrics.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { InterruptionNotice } from '../../shared/ports/work-queue.ts';
import type { OnRecord } from '../support/each-record.ts';
import { metrics } from '../support/metrics.ts';
import { logger } from '../support/telemetry.ts';

/** Handles each notice of a message: an EventBridge event, or a notice that we sent again. */
export const onNotice =
  (clock: Clock, answer: (notice: InterruptionNotice) => Promise<void>): OnRecord =>
  async ({ body, messageId }) => {
    const notices = listNotices(body);
    // A message that cannot be parsed fails on every retry: acknowledge it and log it.
    if (!notices) return logger.warn('message ignored', { messageId });

    for (const notice of notices) {
      if (isNoticeStale(notice, clock.now())) logger.warn('notice too old', { messageId, notice });
      else {
        recordNotice(metrics, notice, clock.now());
        await answer(notice);
      }
    }
  };
