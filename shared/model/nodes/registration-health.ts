import type { NodePool } from './node-pool.ts';

/** The result of one launch of a pool: its node registered, or was given up before. */
export type RegistrationResult =
  | { readonly outcome: 'registered' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly message: string };

/** The last results of a NodePool; results of an earlier pool, spec or EC2NodeClass do not count. */
export interface RegistrationHealth {
  readonly pool: string;
  /** A NodePool that was deleted and created again has another uid. */
  readonly poolUid: string;
  readonly generation: number;
  readonly nodeClassGeneration: number;
  /** Oldest first, at most four. */
  readonly results: readonly RegistrationResult[];
}

/** The pool as the results are kept for. */
export type PoolVersion = Pick<NodePool, 'name' | 'uid' | 'generation' | 'nodeClassGeneration'>;

/**
 * @see Karpenter, pkg/state/nodepoolhealth: half of the last four
 */
const MAX_RESULTS = 4;
const UNHEALTHY_FAILURES = 2;

/** Lists the results that count for the pool as it is now. */
export const listResults = (
  health: RegistrationHealth | undefined,
  { uid, generation = 0, nodeClassGeneration = 0 }: PoolVersion,
): readonly RegistrationResult[] =>
  health?.poolUid === uid && health.generation === generation && health.nodeClassGeneration === nodeClassGeneration
    ? health.results
    : [];

/** Adds a result. @returns `health` itself if that changes nothing */
export function addResult(
  health: RegistrationHealth | undefined,
  pool: PoolVersion,
  result: RegistrationResult,
): RegistrationHealth {
  const before = listResults(health, pool);
  const isFullOfSuccesses = before.length === MAX_RESULTS && before.every(({ outcome }) => outcome === 'registered');
  if (health && isFullOfSuccesses && result.outcome === 'registered') return health;
  const { name, uid, generation = 0, nodeClassGeneration = 0 } = pool;
  return {
    pool: name,
    poolUid: uid,
    generation,
    nodeClassGeneration,
    results: [...before, result].slice(-MAX_RESULTS),
  };
}

export type HealthStatus =
  | { readonly status: 'True' | 'Unknown' }
  | { readonly status: 'False'; readonly reason: string; readonly message: string };

/**
 * Computes `NodeRegistrationHealthy`: False with two failures in the last four results, and with the
 * reason of the last failure; else True if a node registered. One failure alone changes nothing.
 */
export function computeHealthStatus(results: readonly RegistrationResult[]): HealthStatus {
  const failures = results.flatMap((result) => (result.outcome === 'failed' ? [result] : []));
  const last = failures.at(-1);
  if (last && failures.length >= UNHEALTHY_FAILURES) {
    return { status: 'False', reason: last.reason, message: last.message };
  }
  return { status: results.length > failures.length ? 'True' : 'Unknown' };
}
