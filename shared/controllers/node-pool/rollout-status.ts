import {
  computeRolloutProgress,
  describeRollout,
  type RolloutFacts,
  type RolloutProgress,
} from '../../disruption/rollout/rollout-progress.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodePoolStatus, PoolCondition } from '../../model/nodes/reported-status.ts';
import type { Ports } from '../../ports/ports.ts';
import { toNodeClassState } from '../disruption/drift.ts';

/** The objects that show which nodes are blocked. */
export type RolloutObjects = 'nodes' | 'pods' | 'podDisruptionBudgets';

export type RolloutPorts = Pick<Ports, 'nodeClasses' | 'rollouts' | 'driftBackoffs' | 'clock'>;

/**
 * Adds the condition `RolloutComplete` to the statuses. Classes and back-offs are read only while a
 * node has drifted.
 */
export async function withRollouts(
  ports: RolloutPorts,
  { pools, ...objects }: Pick<ClusterSnapshot, 'pools' | 'claims' | RolloutObjects>,
  statuses: readonly NodePoolStatus[],
): Promise<readonly NodePoolStatus[]> {
  const facts = await readFacts(ports, objects);
  const byName = new Map(pools.map((pool) => [pool.name, pool]));
  return statuses.map((status) => {
    const pool = byName.get(status.pool);
    const progress = pool && computeRolloutProgress(pool, facts);
    return {
      ...status,
      conditions: [...status.conditions, buildCondition(progress)],
      ...(progress && { rollout: progress }),
    };
  });
}

async function readFacts(
  { nodeClasses, rollouts, driftBackoffs, clock }: RolloutPorts,
  objects: Pick<ClusterSnapshot, 'claims' | RolloutObjects>,
): Promise<RolloutFacts> {
  const takenAt = clock.now();
  if (!objects.claims.some(({ drift }) => drift)) return { ...objects, takenAt };
  const [classes, stopped, backoffs] = await Promise.all([nodeClasses.list(), rollouts.list(), driftBackoffs.list()]);
  return {
    ...objects,
    takenAt,
    nodeClasses: classes.flatMap((resolved) => toNodeClassState(resolved, stopped) ?? []),
    driftRests: Object.fromEntries(backoffs.map(({ pool, until }) => [pool, until])),
  };
}

/** Informational: a pool with old nodes can still launch new ones. */
function buildCondition(progress: RolloutProgress | undefined): PoolCondition {
  const type = 'RolloutComplete';
  if (!progress) return { type, status: 'True', reason: type, message: '' };
  const { stopped, resumesAt } = progress;
  const waits = resumesAt === undefined ? 'RolloutInProgress' : 'RolloutWaits';
  const reason = stopped === undefined ? waits : 'RolloutStopped';
  return { type, status: 'False', reason, message: describeRollout(progress) };
}
