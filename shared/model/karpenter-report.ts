import type { EpochMs } from './time.ts';

/** A report of Karpenter about an object: an Event, or a condition of the object's status. */
export interface KarpenterReport {
  readonly kind: 'pod' | 'node' | 'nodeclaim' | 'nodepool';
  /** `namespace/name` of a pod. */
  readonly name: string;
  readonly source: 'event' | 'condition';
  /** The reason of the Event, or the type of the condition. */
  readonly reason: string;
  readonly text: string;
  /** The time of the last report with this text. */
  readonly at: EpochMs;
  /** The number of such reports. */
  readonly count: number;
}
