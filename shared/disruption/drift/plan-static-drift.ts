import type { Reason } from '../../model/explanations/reasons.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict, PlannedClaim } from '../../model/plans.ts';
import { NODES } from '../../model/resources.ts';
import {
  createStaticReplacer,
  listStaticPools,
  type StaticPool,
  type StaticReplacer,
} from '../../scheduling/static-claims.ts';
import { type BudgetTracker, createBudgetTracker } from '../budgets.ts';
import { type DisruptionInput, toStaysVerdict } from '../candidates.ts';
import { createCommandId, toPlan } from '../commands-of-decision.ts';
import { createRolloutGuard, type RolloutGuard } from '../rollout/rollout-guard.ts';
import { type DriftedNode, findDriftBackoff, listDriftedNodes, spreadDrift, toDriftedReason } from './drifted-nodes.ts';

/**
 * Each replacement costs a commit, a taint and a launch. The limit keeps a decision short; the next
 * one follows soon.
 */
const MAX_REPLACEMENTS = 20;

/**
 * Plans replacements for drifted nodes of static pools, as many as budgets allow. Each node is
 * replaced by one from its pool's template, whatever runs on it, if the pool's limit permits one
 * more node in the meantime. Pods get no placement, so that the replacements do not depend on each
 * other.
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
  return toPlan(plan.begun, verdicts);
}

/** Replacements begun by this decision, with their constraints. */
interface PlanSoFar {
  readonly input: DisruptionInput;
  readonly begun: DisruptionCommand[];
  readonly budgets: BudgetTracker;
  readonly guard: RolloutGuard;
  readonly nextReplacement: StaticReplacer;
  readonly sizes: ReadonlyMap<string, PoolSize>;
}

/** The nodes of a pool before this decision. */
interface PoolSize {
  readonly all: number;
  /** A node under replacement counts once, together with its replacement. */
  readonly staying: number;
}

function countNodes({ problem, busy }: DisruptionInput): ReadonlyMap<string, PoolSize> {
  const isStaying = ({ name, deletingAt }: NodeClaim): boolean => deletingAt === undefined && !busy.has(name);
  const byPool = Map.groupBy(problem.snapshot.claims, ({ pool }) => pool);
  return new Map(
    [...byPool].map(([pool, claims]) => [pool, { all: claims.length, staying: claims.filter(isStaying).length }]),
  );
}

const beginPlan = (input: DisruptionInput): PlanSoFar => ({
  input,
  begun: [],
  budgets: createBudgetTracker(
    input.problem.existingNodes,
    'Drifted',
    input.busy,
    input.problem.snapshot.takenAt,
    spreadDrift(input),
  ),
  guard: createRolloutGuard(input),
  nextReplacement: createStaticReplacer(input.problem),
  sizes: countNodes(input),
});

/** Begins the replacement and returns `undefined`, or returns why the node stays for now. */
function tryReplace(candidate: DriftedNode, pool: StaticPool, plan: PlanSoFar): Reason | undefined {
  const { input, begun, budgets, guard, nextReplacement } = plan;
  const refusal =
    budgets.refusalFor(pool) ??
    findSizeRefusal(pool, plan) ??
    findDriftBackoff(candidate, input) ??
    guard(candidate.claim, [...input.running, ...begun]);
  if (refusal) return refusal;

  const id = createCommandId(input.decision, begun.length);
  const next = nextReplacement(pool, id);
  if ('why' in next) return { code: 'static-without-replacement', fields: { pool: pool.name, why: next.why } };
  budgets.take(pool);
  begun.push(buildCommand(candidate, next.replacement, id, input));
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

/**
 * During a replacement the pool has one node more: its limit must allow that, and the pool must not
 * be oversized.
 */
function findSizeRefusal({ name, replicas, limits }: StaticPool, { begun, sizes }: PlanSoFar): Reason | undefined {
  const { all, staying } = sizes.get(name) ?? { all: 0, staying: 0 };
  const isOfPool = ({ claim }: PlannedClaim): boolean => claim.pool === name;
  const added = begun.filter(({ replacements }) => replacements.some(isOfPool)).length;
  const limit = limits[NODES] ?? Infinity;
  if (all + added >= limit) {
    return { code: 'static-at-limit', fields: { pool: name, limit: `${limit}` } };
  }
  if (staying <= replicas) return undefined;
  const fields = { pool: name, nodes: `${staying}`, replicas: `${replicas}` };
  return { code: 'static-too-large', fields };
}
