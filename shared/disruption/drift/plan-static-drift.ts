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
  listStaticPools,
  createStaticReplacer,
} from '../../scheduling/static-claims.ts';
import { type BudgetTracker, createBudgetTracker } from '../budgets.ts';
import type { DisruptionInput } from '../candidates.ts';
import { createRolloutGuard, type RolloutGuard } from '../rollout/rollout-guard.ts';
import {
  type DriftedNode,
  findDriftBackoff,
  listDriftedNodes,
  toDriftedReason,
  toStaysVerdict,
} from './drifted-nodes.ts';

/** Each is a commit, a taint and a launch: so many fit into one look, and the next is soon. */
const MAX_REPLACEMENTS = 20;

/**
 * The next drifted nodes of static pools, as many as their budgets allow: each is replaced by one of
 * its pool's template, whatever runs on it, as far as the pool may have one more node for as long as
 * that takes. No pod is promised a place, so that none of them has to wait for another.
 *
 * @see Karpenter, static drift
 */
export function planStaticDrift(input: DisruptionInput): DisruptionPlan {
  const { problem } = input;
  const pools = new Map(listStaticPools(problem.snapshot).map((pool) => [pool.name, pool]));
  if (pools.size === 0) return { verdicts: [] };
  const verdicts: NodeVerdict[] = [];
  const plan = beginPlan(input);
  for (const candidate of listDriftedNodes(input, verdicts, ({ name }) => pools.has(name))) {
    const pool = pools.get(candidate.pool.name);
    if (!pool || plan.begun.length === MAX_REPLACEMENTS) continue;
    const refusal = tryReplace(candidate, pool, plan);
    if (refusal) verdicts.push(toStaysVerdict(candidate, refusal));
    else verdicts.push(toGoesVerdict(candidate));
  }
  const [command, ...more] = plan.begun;
  return { ...(command && { command }), ...(more.length > 0 && { more }), verdicts };
}

/** What this decision has begun, and what it goes by. */
interface PlanSoFar {
  readonly input: DisruptionInput;
  readonly begun: DisruptionCommand[];
  readonly budgets: BudgetTracker;
  readonly guard: RolloutGuard;
  readonly nextReplacement: NextReplacement;
}

const beginPlan = (input: DisruptionInput): PlanSoFar => ({
  input,
  begun: [],
  budgets: createBudgetTracker(
    input.problem.existingNodes,
    'Drifted',
    input.busy,
    input.problem.snapshot.takenAt,
  ),
  guard: createRolloutGuard(input),
  nextReplacement: createStaticReplacer(input.problem),
});

/** Why it stays for now. Absent: its replacement has begun. */
function tryReplace(candidate: DriftedNode, pool: StaticPool, plan: PlanSoFar): Reason | undefined {
  const { input, begun, budgets, guard, nextReplacement } = plan;
  const refusal =
    budgets.refusalFor(pool) ??
    findSizeRefusal(pool, plan) ??
    findDriftBackoff(candidate, input) ??
    guard(candidate.claim, [...input.running, ...begun]);
  if (refusal) return refusal;

  const id = begun.length === 0 ? input.decision : `${input.decision}-${begun.length + 1}`;
  const replacement = nextReplacement(pool, id);
  if (!replacement) return buildNoTypesReason(pool);
  budgets.take(pool);
  begun.push(buildCommand(candidate, replacement, id, input));
  return undefined;
}

const buildCommand = (
  { claim, hourlyUsd }: DriftedNode,
  replacement: PlannedClaim,
  id: string,
  { problem }: DisruptionInput,
): DisruptionCommand => ({
  id,
  reason: 'Drifted',
  decidedAt: problem.snapshot.takenAt,
  candidates: [claim.name],
  replacements: [replacement],
  placements: [],
  savingHourlyUsd: hourlyUsd - replacement.cheapest.hourlyUsd,
});

const toGoesVerdict = (candidate: DriftedNode): NodeVerdict => ({
  claim: candidate.claim.name,
  outcome: 'goes',
  reason: toDriftedReason(candidate),
});

/** While one is replaced there is one more: the pool's limit must allow it, and it must not be too large. */
function findSizeRefusal(
  pool: StaticPool,
  { input: { problem, busy }, begun }: PlanSoFar,
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

const buildNoTypesReason = ({ name }: StaticPool): Reason => ({
  code: 'drift-rests',
  fields: { pool: name, at: 'the next look' },
});
