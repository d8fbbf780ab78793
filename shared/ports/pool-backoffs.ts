import type { EpochMs } from '../model/time.ts';

/** A pool whose nodes lately did not join. */
export interface PoolBackoff {
  readonly pool: string;
  /** How often in a row, what failed together counted once. */
  readonly failures: number;
  /** Nothing is launched for it before. */
  readonly until: EpochMs;
}

/** Nodes that do not join are paid for all the same: a pool of such is tried less and less often. */
export interface PoolBackoffs {
  /** Those whose end has come as well: the next failure counts on. */
  list(): Promise<readonly PoolBackoff[]>;
  save(backoff: PoolBackoff): Promise<void>;
  /** No error if absent. */
  remove(pool: string): Promise<void>;
}
