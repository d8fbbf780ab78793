import {
  computeRolloutProgress,
  describeRollout,
  type RolloutFacts,
  type RolloutProgress,
} from '../../disruption/rollout/rollout-progress.ts';
import { computePoolStatuses } from '../../lifecycle/node-pool-status.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { type NodePoolStatus, type PoolCondition, ROLLOUT_CONDITION } from '../../model/nodes/reported-status.ts';
import type { Ports } from '../../ports/ports.ts';
import { type DriftFacts, type DriftPorts, withDriftFacts } from '../disruption/drift.ts';
import { describeRefusal } from './backoff.ts';

type StatusPorts = Pick<Ports, 'cluster' | 'registrationHealths' | 'clock'> & DriftPorts;

type StatusObjects = Pick<ClusterSnapshot, 'pools' | 'claims' | 'nodes' | 'pods' | 'podDisruptionBudgets'>;

/**
 * Writes each NodePool's resources and conditions to its status.
 *
 * @param objects - what a rollout depends on besides is read if they lack it while a node has drifted
 */
export async function reportPoolStatus(
  ports: StatusPorts,
  objects: StatusObjects & Partial<DriftFacts>,
): Promise<void> {
  const { pools, claims, nodes } = objects;
  const { cluster, registrationHealths, poolBackoffs, clock } = ports;
  const healths = new Map((await registrationHealths.list()).map((health) => [health.pool, health]));
  const refusals = new Map(
    (await poolBackoffs.list('launch')).map((backoff) => [backoff.pool, describeRefusal(backoff).message]),
  );
  const statuses = computePoolStatuses(pools, claims, nodes, healths, refusals);
  const isComplete = objects.nodeClasses !== undefined || !claims.some(({ drift }) => drift);
  const facts = { ...(isComplete ? objects : await withDriftFacts(ports, objects)), takenAt: clock.now() };
  await Promise.all(withRollouts(pools, facts, statuses).map((status) => cluster.reportNodePool(status)));
}

/** The same right after a plan, whose claims the snapshot lacks. */
export const reportPoolStatusAfterLaunch = (
  ports: StatusPorts,
  snapshot: ClusterSnapshot,
  launched: readonly NodeClaim[],
): Promise<void> => reportPoolStatus(ports, { ...snapshot, claims: [...snapshot.claims, ...launched] });

/**
 * The same for the NodePools whose rollouts a step of disruption moves on or ends: those with drifted nodes,
 * and those whose condition says so.
 */
export async function reportRollouts(ports: StatusPorts, snapshot: ClusterSnapshot & DriftFacts): Promise<void> {
  const drifted = new Set(
    snapshot.claims.flatMap(({ pool, drift, removal }) => (drift !== undefined || removal === 'Drifted' ? [pool] : [])),
  );
  const pools = snapshot.pools.filter(({ name, isRollingOut }) => isRollingOut || drifted.has(name));
  if (pools.length > 0) await reportPoolStatus(ports, { ...snapshot, pools });
}

/** Adds the condition `RolloutComplete` to the statuses. */
function withRollouts(
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
