import type { Standing } from '../model/ownership.ts';

/**
 * One owner per cluster. Whoever is about to launch, move or end something asks first; on stand-by
 * it does nothing of the kind. An answer may be a second old.
 *
 * Every method throws if the cluster cannot be asked: then nobody is known to own it.
 */
export interface Ownership {
  /**
   * Takes the cluster if nobody holds it, and keeps it if we do. A home that lives on asks at least
   * every ten seconds, or another one takes over.
   */
  claim(): Promise<Standing>;
  /** As `claim`, but takes it from another home of the same stack. Karpenter is never pushed out. */
  takeOver(): Promise<Standing>;
  /** Lets go, so that the next one need not wait. No error if it is not ours. */
  release(): Promise<void>;
}
