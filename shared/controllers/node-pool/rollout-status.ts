import {
  computeRolloutProgress,
  describeRollout,
  type RolloutFacts,
  type RolloutProgress,
} from '../../disruption/rollout/rollout-progress.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { type NodePoolStatus, type PoolCondition, ROLLOUT_CONDITION } from '../../model/nodes/reported-status.ts';

/** Adds the condition `RolloutComplete` to the statuses. */
export function withRollouts(
  pools: readonly NodePool[],
  facts: RolloutFacts,
  statuses: readonly NodePoolStatus[],
): readonly NodePoolStatus[] {
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

/** Informational: a pool with old nodes can still launch new ones. */
function buildCondition(progress: RolloutProgress | undefined): PoolCondition {
  const type = ROLLOUT_CONDITION;
  if (!progress) return { type, status: 'True', reason: type, message: '' };
  const { stopped, resumesAt } = progress;
  const waits = resumesAt === undefined ? 'RolloutInProgress' : 'RolloutWaits';
  const reason = stopped === undefined ? waits : 'RolloutStopped';
  return { type, status: 'False', reason, message: describeRollout(progress) };
}
