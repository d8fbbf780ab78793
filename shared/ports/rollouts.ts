import type { StoppedRollout } from '../model/drift.ts';

/** Nodes that did not get ready from what their class says: they are gone before anybody asks. */
export interface Rollouts {
  list(): Promise<readonly StoppedRollout[]>;
  /** The latest of a class stands. */
  stop(rollout: StoppedRollout): Promise<void>;
  /** No error if it was not stopped. */
  resume(nodeClass: string): Promise<void>;
}
