import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { InterruptionNotice } from '../ports/work-queue.ts';

/** Counts a notice that a queue handed over, in Karpenter's words, and how long it was under way. */
export function noteNotice(
  telemetry: Telemetry,
  { kind, at }: InterruptionNotice,
  now: EpochMs,
): void {
  const message_type = kind.replaceAll('-', '_');
  telemetry.count('karpenter_interruption_received_messages_total', { message_type });
  const took = Math.max(now - at, 0) / SECOND_MS;
  telemetry.observe('karpenter_interruption_message_queue_duration_seconds', {}, took);
}
