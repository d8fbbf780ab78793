import type { EpochMs } from '../time.ts';

/** What EC2 looks after in an instance, and what it plans with it. */
export type ImpairmentCause = 'system_status' | 'instance_status' | 'event_status';

/** Why EC2 takes a node from us, as Karpenter's metrics call it. */
export type InterruptionCause =
  | ImpairmentCause
  | 'spot_interrupted'
  | 'capacity_reservation_interrupted'
  | 'capacity_block_expiring'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'scheduled_change';

/** One thing that is wrong with an instance in EC2's eyes. */
export interface Impairment {
  readonly providerId: string;
  readonly cause: ImpairmentCause;
  /** When the check began to fail. Absent of a scheduled event: it counts from when it is known. */
  readonly since?: EpochMs;
}
