import type { ClusterEvent } from '../model/events.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import type { Effect } from './effects.ts';

/** One step of a claim: what to do, what is then true, and when to look again. */
export interface Step {
  /** The very claim that came in, if it got no further. */
  readonly claim: NodeClaim;
  readonly effects: readonly Effect[];
  readonly events: readonly ClusterEvent[];
  /** Absent: only a change of what was observed brings it on. */
  readonly wakeAt?: EpochMs;
}

/** Nothing to do but to wait. */
export const waiting = (claim: NodeClaim): Step => ({ claim, effects: [], events: [] });
