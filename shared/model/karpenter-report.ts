import type { EpochMs } from './time.ts';

/** Something that Karpenter says about an object: an Event, or a condition of its status. */
export interface KarpenterReport {
  readonly kind: 'pod' | 'node' | 'nodeclaim' | 'nodepool';
  /** `namespace/name` of a pod. */
  readonly name: string;
  readonly source: 'event' | 'condition';
  /** The reason of the Event, or the type of the condition. */
  readonly reason: string;
  readonly text: string;
  /** When it was said last. */
  readonly at: EpochMs;
  /** How often it was said. */
  readonly count: number;
}
