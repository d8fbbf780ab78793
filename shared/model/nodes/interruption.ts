import type { EpochMs } from '../time.ts';

/** The checks and events by which EC2 reports an impaired instance. */
export type ImpairmentCause = 'system_status' | 'instance_status' | 'event_status';

/** Why EC2 takes an instance away, as Karpenter's metrics name it. */
export type InterruptionCause =
  | ImpairmentCause
  | 'spot_interrupted'
  | 'capacity_reservation_interrupted'
  | 'capacity_block_expiring'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'scheduled_change';

/** One problem that EC2 reports for an instance. */
export interface Impairment {
  readonly providerId: string;
  readonly cause: ImpairmentCause;
  /**
   * When the check began to fail; `undefined` for a scheduled event, which counts from the moment
   * it is known.
   */
  readonly since?: EpochMs;
}
