import { planDisruption } from '../../disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import type { DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import type { DisruptionInput, HeldBackNodes } from '../../ports/decision-log.ts';
import type { PlannerPause } from '../../ports/planning-state.ts';

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
  { snapshot, running, proposal, heldBack, quietUntil }: DisruptionInput,
  id: string,
): DisruptionPlan {
  if (quietUntil !== undefined) return { verdicts: keepUntil(quietUntil, snapshot) };
  if (heldBack) return planWithoutHeldBack(heldBack, snapshot, running, id);
  if (!proposal) return planDisruption(snapshot, running, id);
  const { candidates } = proposal;
  const restricted = restrictToCandidates(snapshot, candidates);
  const plan = withoutSurplus(planDisruption(restricted, running, id));
  return { ...plan, verdicts: plan.verdicts.filter(({ claim }) => candidates.includes(claim)) };
}

const keepUntil = (until: EpochMs, { claims }: ClusterSnapshot): readonly NodeVerdict[] =>
  claims.flatMap(({ name, pool, initializedAt, deletingAt }): readonly NodeVerdict[] => {
    if (initializedAt === undefined || deletingAt !== undefined) return [];
    const fields = { pool, until: formatInstant(until) };
    const reason: Reason = { code: 'quiet-after-hand-over', fields };
    return [{ claim: name, outcome: 'stays', reason, lookAgainAt: until }];
  });

/**
 * Plans with the other nodes as candidates, and reports those that are held back as staying. During a
 * pause nothing is planned.
 */
function planWithoutHeldBack(
  { deferred, setAside, pause, pools = [] }: HeldBackNodes,
  snapshot: ClusterSnapshot,
  running: DisruptionInput['running'],
  id: string,
): DisruptionPlan {
  const staying = [
    ...deferred.map((claim): NodeVerdict => {
      const reason = pause ? toReason('removals-paused', pause) : REMOVAL_DEFERRED;
      return { claim, outcome: 'stays', reason, lookAgainAt: pause?.until ?? snapshot.takenAt + 1 };
    }),
    ...setAside.map(({ claim, ...failed }): NodeVerdict => {
      const reason = toReason('removal-planning-failed', failed);
      return { claim, outcome: 'stays', reason, lookAgainAt: failed.until };
    }),
  ];
  if (pause) return { verdicts: staying };
  const held = new Set(staying.map(({ claim }) => claim));
  const remaining = nominateBriefly(withoutPools(snapshot, pools), [...held]);
  const plan = planDisruption(remaining, running, id);
  const verdicts = [...plan.verdicts.filter(({ claim }) => !held.has(claim)), ...staying];
  return { ...(deferred.length > 0 ? withoutSurplus(plan) : plan), verdicts };
}

/** Leaves out NodePools; their nodes and pods stay, so that spreads and affinity are counted. */
export const withoutPools = (snapshot: ClusterSnapshot, names: readonly string[]): ClusterSnapshot =>
  names.length === 0 ? snapshot : { ...snapshot, pools: snapshot.pools.filter(({ name }) => !names.includes(name)) };

const REMOVAL_DEFERRED: Reason = { code: 'removal-deferred', fields: {} };

const toReason = (code: 'removals-paused' | 'removal-planning-failed', { failures, until }: PlannerPause): Reason => ({
  code,
  fields: { failures: `${failures}`, until: formatInstant(until) },
});

/** Surplus is a fact of the whole cluster, and not known if most nodes are no candidates. */
const withoutSurplus = ({ surplus: _, podDeletionCosts: _costs, ...plan }: DisruptionPlan): DisruptionPlan => plan;

/** Makes every other node no candidate. */
export function restrictToCandidates(snapshot: ClusterSnapshot, candidates: readonly string[]): ClusterSnapshot {
  const { claims, nodes } = snapshot;
  const candidateNames = new Set(candidates);
  const candidateClaims = claims.filter(({ name }) => candidateNames.has(name));
  const allowed = new Set(candidateClaims.flatMap(({ name, nodeName }) => [name, nodeName ?? name]));
  const others = [...claims, ...nodes].map(({ name }) => name);
  return nominateBriefly(
    snapshot,
    others.filter((name) => !allowed.has(name)),
  );
}

/** Nominates nodes for a moment: pods may move there, but they are no candidates. */
function nominateBriefly(snapshot: ClusterSnapshot, names: readonly string[]): ClusterSnapshot {
  const until = snapshot.takenAt + NOMINATED_FOR_MS;
  const brief = Object.fromEntries(names.map((name) => [name, until]));
  return { ...snapshot, nominations: { ...brief, ...snapshot.nominations } };
}
