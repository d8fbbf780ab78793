import { isStale, noticesIn } from '../../shared/aws/queues/interruption-notices.ts';
import { noteNotice } from '../../shared/controllers/metrics/interruption-metrics.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { InterruptionNotice } from '../../shared/ports/work-queue.ts';
import type { OnRecord } from '../support/each-record.ts';
import { metrics } from '../support/figures.ts';
import { logger } from '../support/telemetry.ts';

/** Has each notice of a message answered: an event of EventBridge's, or one of ours sent anew. */
export const onNotice =
  (clock: Clock, answer: (notice: InterruptionNotice) => Promise<void>): OnRecord =>
  async ({ body, messageId }) => {
    const notices = noticesIn(body);
    // No retry cures a message we cannot read: let it go, and leave a trace.
    if (!notices) return logger.warn('message ignored', { messageId });

    for (const notice of notices) {
      if (isStale(notice, clock.now())) logger.warn('notice too old', { messageId, notice });
      else {
        noteNotice(metrics, notice, clock.now());
        await answer(notice);
      }
    }
  };
