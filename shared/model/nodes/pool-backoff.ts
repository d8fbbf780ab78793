import type { EpochMs } from '../time.ts';

/** A NodePool whose launches recently failed. */
export interface PoolBackoff {
  readonly pool: string;
  /** The uid of a pod owner: only launches for its pods failed. `undefined`: all launches did. */
  readonly owner?: string;
  /** The number of failures in a row. Nodes that failed together count once. */
  readonly failures: number;
  /** When the last failure was counted; `undefined` for backoffs of drift. */
  readonly failedAt?: EpochMs;
  /** Nothing is launched for the pool before this time. */
  readonly until: EpochMs;
  /** The failure as a sentence without a full stop; `undefined` if the kind of entry says it. */
  readonly message?: string;
}
