import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { EMPTY_PLAN, type Placement, type PlannedClaim, type ProvisioningPlan, type Unplaced } from '../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../model/pods/pod.ts';
import { widenSpotChoice } from './claims/claim-type-choice.ts';
import { createClaimNamer, createPlannedClaim } from './claims/planned-claims.ts';
import { createReservationRefusals } from './explanation/capacity-reasons.ts';
import { explainClaimChoice } from './explanation/claim-choice.ts';
import { createFixFinder } from './explanation/fixes.ts';
import { explainNodeRefusals } from './explanation/node-refusals.ts';
import { explainPoolRefusals, refuseInAllPools } from './explanation/pool-refusals.ts';
import type { Problem } from './input/problem.ts';
import { WORK_LIMITS } from './input/work-limits.ts';
import { withUsageByNewNodes } from './packing/new-nodes/packing-state.ts';
import { createPodTaker, type PodTaker } from './pods/pod-classes.ts';
import { createTooMuchWorkReason } from './pods/pod-complexity.ts';
import type { Solution } from './search/solve.ts';

/** Converts a solution into a plan: gives pods and claims their names. */
export function createPlan(
  problem: Problem,
  batch: readonly Pod[],
  solution: Solution,
  decision: string,
): ProvisioningPlan {
  if (batch.length === 0) return EMPTY_PLAN;
  const takePods = createPodTaker();
  const nextName = createClaimNamer(
    decision,
    problem.snapshot.claims.map(({ name }) => name),
  );
  const placements = [...solution.placed].map(
    ([node, counts]): Placement => ({
      target: node.name,
      pods: [...counts].flatMap(([cls, count]) => takePods(cls, count)),
    }),
  );
  const claims = solution.newNodes.flatMap((newNode, ordinal): PlannedClaim[] => {
    const pods = [...newNode.podCounts].flatMap(([{ cls }, count]) => takePods(cls, count));
    const widerNode = widenSpotChoice(newNode, problem);
    const name = nextName(newNode.template.pool.name, ordinal);
    const planned = createPlannedClaim(widerNode, pods, problem, decision, name);
    return planned ? [{ ...planned, choice: explainClaimChoice(widerNode, problem) }] : [];
  });
  const unplaced = explainUnplaced(problem, batch, solution, { claims, placements }, takePods);
  const hourlyUsd = claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0);
  return { claims, placements, unplaced, hourlyUsd };
}

const TOO_LONG_TO_EXPLAIN = createTooMuchWorkReason(
  'operations to explain why no NodePool fits',
  WORK_LIMITS.explanation,
);

/** Reports pods that wait for the next plan. */
export function createDeferredEntry(pods: readonly PodKey[], { pools }: Pick<ClusterSnapshot, 'pools'>): Unplaced {
  const reasons = [{ code: 'next-plan', fields: { pods: `${pods.length}` } } as const];
  const refusals = pools.map(({ name }) => ({ pool: name, reasons }));
  return { pods, pools: refusals, nodes: [], waits: true };
}

/** Explains each class without a place, and proposes a fix. */
function explainUnplaced(
  problem: Problem,
  batch: readonly Pod[],
  { newNodes, unplaced, waiting, topology }: Solution,
  plan: Pick<ProvisioningPlan, 'claims' | 'placements'>,
  takePods: PodTaker,
): readonly Unplaced[] {
  if (unplaced.size === 0) return [];
  const afterwards = withUsageByNewNodes(problem, newNodes);
  const findFixes = createFixFinder(problem, plan);
  return [...unplaced].map(([cls, count]): Unplaced => {
    const pods = takePods(cls, count);
    const { work, snapshot } = problem;
    // Names of nodes are of less use than the reason itself, so they get less work.
    const explainNodes = () => explainNodeRefusals(cls, topology, problem);
    const nodes = work.tryOptional(WORK_LIMITS.explanation, explainNodes) ?? [];
    if (waiting?.has(cls)) {
      return { pods, pools: createReservationRefusals(plan.claims, problem), nodes, waits: true };
    }
    const explainPools = () => explainPoolRefusals(cls, topology, afterwards);
    const pools =
      work.tryOptional(WORK_LIMITS.explanation, explainPools) ?? refuseInAllPools(TOO_LONG_TO_EXPLAIN, snapshot);
    const keys = new Set(pods);
    const [fix, ...otherFixes] =
      findFixes(
        batch.filter((pod) => keys.has(podKey(pod))),
        pools,
      ) ?? [];
    return {
      ...{ pods, pools, nodes },
      ...(fix && { fix }),
      ...(otherFixes.length > 0 && { otherFixes }),
    };
  });
}
