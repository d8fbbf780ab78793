import { listChanges } from '../../model/explanations/plan-text.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import type { Fix, FixChange, PoolRefusal } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';
import { withUsageByNewNodes } from '../packing/new-nodes/packing-state.ts';
import { computeCost } from '../packing/packing.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';
import { type Solution, solve } from '../search/solve.ts';
import {
  listAddedKinds,
  listExcludedArchitectures,
  listMissingKindsOf,
  listSomeArchitectures,
  type MissingKinds,
} from './added-kinds.ts';
import type { FixProposal } from './fix-proposal.ts';
import { PROPOSERS, type ProposersByReason } from './fix-proposers.ts';
import { explainPoolRefusals } from './pool-refusals.ts';

/** The cluster after some changes, and why the NodePool still refuses the pods. */
interface State {
  readonly pool: string;
  readonly reasons: readonly Reason[];
  readonly pods: readonly Pod[];
  readonly problem: Problem;
  readonly changes: readonly FixChange[];
  /** The kinds of instances that the NodePool did not have before the changes, once it had any. */
  readonly missingKinds?: MissingKinds;
}

/** More changes at once would be another NodePool, or another workload. */
const MAX_CHANGES = 3;
/** States of which the next change is looked for, for each number of changes. */
const MAX_STATES = 12;

/**
 * Yields the changes with which all of the pods are placed: single ones, or else the pairs, or else three at
 * once. What refuses the pods after a change shows which change has to come next. If no change helps, the time is
 * yielded at which the cause ends, if waiting is enough. Each proposal is verified by planning with it.
 *
 * @param pods - equal pods that the plan left unplaced
 * @param refusals - why each NodePool refuses them
 */
export function* searchFixes(pods: readonly Pod[], refusals: readonly PoolRefusal[], problem: Problem): Generator<Fix> {
  let states = listNear(refusals).map(({ pool, reasons }): State => ({ pool, reasons, pods, problem, changes: [] }));
  for (let count = 1; count <= MAX_CHANGES && states.length > 0; count++) {
    const next: State[] = [];
    const tried = new Set<string>();
    let isFixedSomehow = false;
    for (const proposers of PROPOSERS) {
      let isFixed = false;
      for (const state of states) {
        for (const { fix, remaining } of tryChanges(state, proposers, tried)) {
          // Waiting is better than nodes of another kind.
          isFixed ||= fix !== undefined && fix.adds === undefined;
          isFixedSomehow ||= fix !== undefined;
          if (fix) yield fix;
          if (remaining) next.push(remaining);
        }
      }
      if (isFixed) return;
    }
    if (isFixedSomehow) return;
    states = next.slice(0, MAX_STATES);
  }
}

/** Leaves out NodePools that the pods do not select, if they select others. */
function listNear(refusals: readonly PoolRefusal[]): readonly PoolRefusal[] {
  const near = refusals.filter(({ reasons }) => reasons.every(({ fields }) => fields.key !== NODEPOOL_LABEL));
  return near.length > 0 ? near : refusals;
}

interface Attempt {
  readonly fix?: Fix;
  /** Undefined if the pods are placed, or if the change made no difference. */
  readonly remaining?: State;
}

/** @param tried - changes of pods are proposed for each NodePool, and tried once */
function* tryChanges(state: State, proposers: ProposersByReason, tried: Set<string>): Generator<Attempt> {
  const pool = state.problem.snapshot.pools.find(({ name }) => name === state.pool);
  if (!pool) return;
  for (const reason of state.reasons) {
    for (const proposal of proposers[reason.code]?.(pool, reason, state.pods, state.problem) ?? []) {
      const { kind, object, path, from, to } = proposal;
      const key = JSON.stringify([state.changes, kind, object, path, from, to]);
      if (!tried.has(key)) yield tryProposal(proposal, reason, state);
      tried.add(key);
    }
  }
}

function tryProposal({ snapshot, pods, isNeeded, ...proposed }: FixProposal, reason: Reason, state: State): Attempt {
  const before = state.problem;
  const problem = prepare(snapshot, before.work);
  const solution = solve(problem, pods);
  const changes = [...state.changes, ...listChanges(proposed)];
  const missingKinds = state.missingKinds ?? findMissingKinds(state);
  if (solution.unplaced.size === 0) {
    const fix = toFix(changes, solution.newNodes, problem, missingKinds);
    return fix ? { fix } : {};
  }
  const refusal = changes.length < MAX_CHANGES ? explainRefusal(state.pool, solution, problem) : undefined;
  const [first] = refusal?.reasons ?? [];
  if (!refusal || !first || (isSameReason(first, reason) && !isNeeded)) return {};
  const { pool, reasons } = refusal;
  return { remaining: { pool, reasons, pods, problem, changes, ...(missingKinds && { missingKinds }) } };
}

const isSameReason = (a: Reason, b: Reason): boolean =>
  a.code === b.code && JSON.stringify(a.fields) === JSON.stringify(b.fields);

function explainRefusal(pool: string, { unplaced, topology, newNodes }: Solution, problem: Problem) {
  const [cls] = unplaced.keys();
  return (
    cls && explainPoolRefusals(cls, topology, withUsageByNewNodes(problem, newNodes)).find((one) => one.pool === pool)
  );
}

/**
 * Finds the kinds that the pods could not get before: of the NodePool, or of all that take them if its taints keep
 * them away.
 */
function findMissingKinds({ pool: name, problem, pods }: State): MissingKinds | undefined {
  const [pod] = pods;
  const tolerations = pod ? (listFullyRelaxed(pod.spec)[0]?.tolerations ?? []) : [];
  const open = problem.snapshot.pools.filter(({ taints }) => !findUntoleratedTaint(taints, tolerations));
  const pools = open.some((one) => one.name === name) ? open.filter((one) => one.name === name) : open;
  const templates = problem.nodeTemplates.filter(({ pool }) => pools.some((one) => one.name === pool.name));
  if (templates.length > 0) return listMissingKindsOf(templates, pods, problem);
  return pools.length > 0 ? listExcludedArchitectures(pools, pods, problem) : listSomeArchitectures(pods, problem);
}

function toFix(
  [first, ...and]: readonly FixChange[],
  newNodes: readonly NewNode[],
  problem: Problem,
  missingKinds: MissingKinds | undefined,
): Fix | undefined {
  if (!first) return undefined;
  const adds = missingKinds ? listAddedKinds(newNodes, missingKinds, problem) : [];
  return {
    ...first,
    ...(and.length > 0 && { and }),
    ...(newNodes.length > 0 && { launches: describeNodes(newNodes, problem) }),
    ...(adds.length > 0 && { adds }),
    hourlyUsd: computeCost({ newNodes, problem }).hourlyUsd,
  };
}

/** Names the cheapest offering of each node: `m5.xlarge on-demand`, `2 m5.xlarge spot and 1 more`. */
function describeNodes(newNodes: readonly NewNode[], problem: Problem): string {
  const { typeIndex, offerings } = problem;
  const names = newNodes.map((one) => {
    const { type } = findCheapestType(one, problem);
    const capacityType = offerings.cheapest(type, one.where)?.capacityType ?? '';
    return `${typeIndex.types[type]?.name ?? 'node'} ${capacityType}`;
  });
  const [[name, { length }] = ['', []]] = [...Map.groupBy(names, (one) => one)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const others = names.length - length;
  return `${length > 1 ? `${length} ` : ''}${name}${others > 0 ? ` and ${others} more` : ''}`;
}
