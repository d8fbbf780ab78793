import { planDisruption } from '../../disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionPlan } from '../../model/plans.ts';
import type { DisruptionInput } from '../../ports/decision-log.ts';

/** Long enough to exclude a node from one decision. */
const NOMINATED_FOR_MS = 1;

/** Decides for the controllers; another one can be compared with ours in a simulation. */
export type DecideDisruption = (input: DisruptionInput, id: string) => DisruptionPlan;

/**
 * Decides which nodes to remove or replace next; for a proposal, only whether its nodes still go. A
 * record of the input repeats the decision.
 *
 * @param id - of the decision; the command and its replacements are named after it
 */
export function decideDisruption(
  { snapshot, running, proposal }: DisruptionInput,
  id: string,
): DisruptionPlan {
  if (!proposal) return planDisruption(snapshot, running, id);
  const { candidates } = proposal;
  // Surplus is a fact of the whole cluster.
  const {
    surplus: _,
    podDeletionCosts: _costs,
    ...plan
  } = planDisruption(restrictToCandidates(snapshot, candidates), running, id);
  return { ...plan, verdicts: plan.verdicts.filter(({ claim }) => candidates.includes(claim)) };
}

/** Nominates every other node for a moment: pods may move there, but it is no candidate. */
export function restrictToCandidates(
  snapshot: ClusterSnapshot,
  candidates: readonly string[],
): ClusterSnapshot {
  const { claims, nodes, takenAt, nominations } = snapshot;
  const candidateNames = new Set(candidates);
  const candidateClaims = claims.filter(({ name }) => candidateNames.has(name));
  const allowed = new Set(
    candidateClaims.flatMap(({ name, nodeName }) => [name, nodeName ?? name]),
  );
  const others = [...claims, ...nodes].map(({ name }) => name).filter((name) => !allowed.has(name));
  const until = takenAt + NOMINATED_FOR_MS;
  return {
    ...snapshot,
    nominations: { ...Object.fromEntries(others.map((name) => [name, until])), ...nominations },
  };
}
