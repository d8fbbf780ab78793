import type { Reason } from '../../model/explanations/reasons.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type {
  DisruptionCommand,
  DisruptionPlan,
  NodeVerdict,
  PlannedClaim,
} from '../../model/plans.ts';
import { NODES } from '../../model/resources.ts';
import {
  type NextReplacement,
  type StaticPool,
  staticPools,
  staticReplacements,
} from '../../scheduling/static-claims.ts';
import { type BudgetBook, budgetBook } from '../budgets.ts';
import type { Round } from '../candidates.ts';
import { type RolloutGuard, rolloutGuard } from '../rollout/rollout-guard.ts';
import { type Drifted, driftedNodes, goesForDrift, resting, staysForNow } from './drifted-nodes.ts';

/** Each is a commit, a taint and a launch: so many fit into one look, and the next is soon. */
const MOST_AT_ONCE = 20;

/**
 * The next drifted nodes of static pools, as many as their budgets allow: each is replaced by one of
 * its pool's template, whatever runs on it, as far as the pool may have one more node for as long as
 * that takes. No pod is promised a place, so that none of them has to wait for another.
 *
 * @see Karpenter, static drift
 */
export function planStaticDrift(round: Round): DisruptionPlan {
  const { problem } = round;
  const pools = new Map(staticPools(problem.snapshot).map((pool) => [pool.name, pool]));
  if (pools.size === 0) return { verdicts: [] };
  const verdicts: NodeVerdict[] = [];
  const plan = beginPlan(round);
  for (const candidate of driftedNodes(round, verdicts, ({ name }) => pools.has(name))) {
    const pool = pools.get(candidate.pool.name);
    if (!pool || plan.begun.length === MOST_AT_ONCE) continue;
    const refusal = refusalOf(candidate, pool, plan);
    if (refusal) verdicts.push(staysForNow(candidate, refusal));
    else verdicts.push(goesVerdict(candidate));
  }
  const [command, ...more] = plan.begun;
  return { ...(command && { command }), ...(more.length > 0 && { more }), verdicts };
}

/** What this decision has begun, and what it goes by. */
interface PlanSoFar {
  readonly round: Round;
  readonly begun: DisruptionCommand[];
  readonly budgets: BudgetBook;
  readonly guard: RolloutGuard;
  readonly nextReplacement: NextReplacement;
}

const beginPlan = (round: Round): PlanSoFar => ({
  round,
  begun: [],
  budgets: budgetBook(round.problem.bins, 'Drifted', round.busy, round.problem.snapshot.takenAt),
  guard: rolloutGuard(round),
  nextReplacement: staticReplacements(round.problem),
});

/** Why it stays for now. Absent: its replacement has begun. */
function refusalOf(candidate: Drifted, pool: StaticPool, plan: PlanSoFar): Reason | undefined {
  const { round, begun, budgets, guard, nextReplacement } = plan;
  const hold =
    budgets.refusal(pool) ??
    noHeadroom(pool, plan) ??
    resting(candidate, round) ??
    guard(candidate.claim, [...round.running, ...begun]);
  if (hold) return hold;

  const id = begun.length === 0 ? round.decision : `${round.decision}-${begun.length + 1}`;
  const replacement = nextReplacement(pool, id);
  if (!replacement) return noTypes(pool);
  budgets.take(pool);
  begun.push(commandOf(candidate, replacement, id, round));
  return undefined;
}

const commandOf = (
  { claim, hourlyUsd }: Drifted,
  replacement: PlannedClaim,
  id: string,
  { problem }: Round,
): DisruptionCommand => ({
  id,
  reason: 'Drifted',
  decidedAt: problem.snapshot.takenAt,
  candidates: [claim.name],
  replacements: [replacement],
  placements: [],
  savingHourlyUsd: hourlyUsd - replacement.cheapest.hourlyUsd,
});

const goesVerdict = (candidate: Drifted): NodeVerdict => ({
  claim: candidate.claim.name,
  outcome: 'goes',
  reason: goesForDrift(candidate),
});

/** While one is replaced there is one more: the pool's limit must allow it, and it must not be too large. */
function noHeadroom(
  pool: StaticPool,
  { round: { problem, busy }, begun }: PlanSoFar,
): Reason | undefined {
  const own = problem.snapshot.claims.filter((claim) => claim.pool === pool.name);
  const names = new Set(own.map(({ name }) => name));
  const added = begun.filter(({ candidates }) => candidates.some((name) => names.has(name)));
  const limit = pool.limits[NODES] ?? Infinity;
  if (own.length + added.length >= limit) {
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
