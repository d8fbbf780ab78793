import type { NodeClaim } from '../model/node-claim.ts';
import type { DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import type { Reason } from '../model/reasons.ts';
import { NODES } from '../model/resources.ts';
import { type StaticPool, staticPools, staticReplacement } from '../scheduling/static-claims.ts';
import { budgetBook } from './disruption-budget.ts';
import { type Drifted, driftedNodes, goesForDrift, resting, staysForNow } from './drifted-nodes.ts';
import { rolloutHold } from './rollout-guard.ts';
import type { Round } from './round.ts';

/**
 * The next drifted node of a static pool: it is replaced by one of the pool's template, whatever runs
 * on it, as far as the pool may have one more node for as long as that takes.
 *
 * @see Karpenter, static drift
 */
export function planStaticDrift(round: Round): DisruptionPlan {
  const { problem, busy, decision } = round;
  const { takenAt } = problem.snapshot;
  const pools = new Map(staticPools(problem.snapshot).map((pool) => [pool.name, pool]));
  if (pools.size === 0) return { verdicts: [] };
  const verdicts: NodeVerdict[] = [];
  const budgets = budgetBook(problem.bins, 'Drifted', busy, takenAt);
  for (const candidate of driftedNodes(round, verdicts, ({ name }) => pools.has(name))) {
    const pool = pools.get(candidate.pool.name);
    if (!pool) continue;
    const hold =
      budgets.refusal(pool) ??
      noHeadroom(pool, round) ??
      resting(candidate, round) ??
      rolloutHold(candidate.claim, round);
    const replacement = hold ? undefined : staticReplacement(pool, problem, decision);
    if (!replacement) {
      verdicts.push(staysForNow(candidate, hold ?? noTypes(pool)));
      continue;
    }
    const command = {
      id: decision,
      reason: 'Drifted' as const,
      decidedAt: takenAt,
      candidates: [candidate.claim.name],
      replacements: [replacement],
      placements: [],
      savingHourlyUsd: candidate.hourlyUsd - replacement.cheapest.hourlyUsd,
    };
    return { command, verdicts: [...verdicts, goesVerdict(candidate)] };
  }
  return { verdicts };
}

const goesVerdict = (candidate: Drifted): NodeVerdict => ({
  claim: candidate.claim.name,
  outcome: 'goes',
  reason: goesForDrift(candidate),
});

/** While one is replaced there is one more: the pool's limit must allow it, and it must not be too large. */
function noHeadroom(pool: StaticPool, { problem, busy }: Round): Reason | undefined {
  const own = problem.snapshot.claims.filter((claim) => claim.pool === pool.name);
  const limit = pool.limits[NODES] ?? Infinity;
  if (own.length >= limit) {
    return { code: 'static-at-limit', fields: { pool: pool.name, limit: `${limit}` } };
  }
  // What is being replaced is there twice for a while: its replacement is no node too many.
  const staying = own.filter((claim) => isStaying(claim) && !busy.has(claim.name)).length;
  if (staying <= pool.replicas) return undefined;
  const fields = { pool: pool.name, nodes: `${staying}`, replicas: `${pool.replicas}` };
  return { code: 'static-too-large', fields };
}

const isStaying = ({ deletingAt }: NodeClaim): boolean => deletingAt === undefined;

const noTypes = ({ name }: StaticPool): Reason => ({
  code: 'drift-rests',
  fields: { pool: name, at: 'the next look' },
});
