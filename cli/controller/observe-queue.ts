import type { Log } from '../../shared/aws/log.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import type { Telemetry } from '../../shared/ports/ports.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import type { QueueObserver } from './hint-queue.ts';

/** What becomes of hints, in controller-runtime's words and figures. */
export const observeQueue = (telemetry: Telemetry, log: Log): QueueObserver => ({
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
    log({ level: 'error', message: 'turn failed', fields: failed(hint, error) });
  },
});

const failed = (hint: Hint, error: unknown) => ({
  hint,
  error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
});
