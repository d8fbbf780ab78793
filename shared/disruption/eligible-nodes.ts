import { type ClusterSnapshot, findMissingObject } from '../model/cluster-snapshot.ts';
import type { DisruptionReason } from '../model/nodes/node-pool.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import { isReplacingFirst } from '../model/settings.ts';
import { listOpenLaunches } from '../scheduling/open-launches.ts';
import { prepareCluster } from '../scheduling/removal/removal-state.ts';
import { type DisruptionInput, evaluateCandidate, isEmpty } from './candidates.ts';
import { listDriftedNodes } from './drift/drifted-nodes.ts';
import { planRepair } from './repair/plan-repair.ts';

/**
 * Counts the nodes that a decision on this snapshot may remove or replace for each reason, before it
 * looks at budgets, room and prices.
 */
export function countEligibleNodes(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
): Readonly<Record<DisruptionReason, number>> {
  if (findMissingObject('remove', snapshot)) return { Empty: 0, Drifted: 0, Underutilized: 0, Unhealthy: 0 };
  const problem = prepareCluster(snapshot);
  const input: DisruptionInput = {
    problem,
    snapshot,
    pools: new Map(snapshot.pools.map((pool) => [pool.name, pool])),
    running,
    busy: new Set(running.flatMap(({ candidates }) => candidates)),
    decision: '',
    openLaunches: listOpenLaunches(problem),
  };
  const candidates = problem.existingNodes
    .map((existingNode) => evaluateCandidate(existingNode, input))
    .flatMap((evaluation) => (evaluation.outcome === 'candidate' ? [evaluation.candidate] : []));
  return {
    Empty: candidates.filter(isEmpty).length,
    Drifted: listDriftedNodes(input, [], () => true).length,
    Unhealthy: isReplacingFirst(snapshot.settings)
      ? planRepair(snapshot.claims, snapshot, snapshot.takenAt).repairs.length
      : 0,
    Underutilized: candidates.filter(
      (candidate) => !isEmpty(candidate) && candidate.pool.disruption.policy !== 'WhenEmpty',
    ).length,
  };
}
