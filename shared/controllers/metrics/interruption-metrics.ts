import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Telemetry } from '../../ports/ports.ts';
import type { InterruptionNotice } from '../../ports/work-queue.ts';

const MESSAGE_TYPES: Readonly<Record<InterruptionNotice['kind'], string>> = {
  'spot-interruption': 'spot_interrupted',
  'reservation-interruption': 'capacity_reservation_interrupted',
  'rebalance-recommendation': 'rebalance_recommendation',
  'scheduled-change': 'scheduled_change',
  'instance-stopped': 'instance_stopped',
  'instance-terminated': 'instance_terminated',
  'state-change': 'state_change',
};

/**
 * Counts a received notice under Karpenter's message type, and observes how long the queue took.
 */
export function recordNotice(telemetry: Telemetry, { kind, at }: InterruptionNotice, now: EpochMs): void {
  telemetry.count('karpenter_interruption_received_messages_total', {
    message_type: MESSAGE_TYPES[kind],
  });
  const took = Math.max(now - at, 0) / SECOND_MS;
  telemetry.observe('karpenter_interruption_message_queue_duration_seconds', {}, took);
}
