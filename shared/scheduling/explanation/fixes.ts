import type { ReasonCode } from '../../model/explanations/reasons.ts';
import type { Fix, PoolRefusal, ProvisioningPlan } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { formatInstant } from '../../model/time.ts';
import { withoutOffHours } from '../input/off-hours.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';
import { computeCost } from '../packing/packing.ts';
import { solve } from '../search/solve.ts';
import { listAddedKinds, listMissingKinds } from './added-kinds.ts';
import { applyPlan } from './cluster-after-plan.ts';
import {
  proposeCheapestValues,
  proposeClassCorrection,
  proposeCorrectRequirement,
  proposeDroppedRequirement,
  proposeHigherLimit,
  proposeLowerMinValues,
  proposeNodeLabel,
  proposeTypesOfValue,
  proposeWiderValues,
} from './fix-node-pools.ts';
import { proposeCorrectValue, proposeLabelRename, proposeToleration, proposeVolumeClaim } from './fix-pods.ts';

import type { FixProposal, FixProposer } from './fix-proposal.ts';
import { proposeSmallerRequest } from './fix-requests.ts';

/** Verifying a proposal costs a whole plan, so only the first groups of pods get a fix. */
const MAX_FIXES = 20;

/** The fixes for equal pods, best first; undefined if no single change helps. */
export type RankedFixes = readonly [Fix, ...Fix[]] | undefined;

/**
 * Creates a function that finds changes with which pods that `plan` leaves unplaced can run, after
 * the plan is carried out. Only the first 20 calls are answered.
 */
export function createFixFinder(
  problem: Problem,
  plan: Pick<ProvisioningPlan, 'claims' | 'placements'>,
): (pods: readonly Pod[], refusals: readonly PoolRefusal[]) => RankedFixes {
  let groupsExplained = 0;
  let problemAfterPlan: Problem | undefined;
  const { work, snapshot } = problem;
  const begin = work.spent();
  return (pods, refusals) => {
    groupsExplained += 1;
    const operationsLeft = WORK_LIMITS.fixes - (work.spent() - begin);
    if (groupsExplained > MAX_FIXES || operationsLeft <= 0) return undefined;
    // Fixes that are verified when the work ends are told.
    const fixes: Fix[] = [];
    work.tryOptional(operationsLeft, () => {
      const isIdle = plan.claims.length === 0 && plan.placements.length === 0;
      problemAfterPlan ??= isIdle ? problem : prepare(applyPlan(snapshot, plan), work);
      for (const fix of verifyFixes(pods, refusals, problemAfterPlan)) fixes.push(fix);
      return fixes;
    });
    return rankFixes(fixes);
  };
}

/**
 * Yields the changes of a single field with which all of the pods are placed. If there is
 * none, yields the time at which unavailable offerings are tried again, if waiting is enough. Each
 * proposal is verified by planning with it.
 *
 * @param pods - equal pods that the plan left unplaced
 * @param refusals - why each NodePool refuses them
 */
function* verifyFixes(pods: readonly Pod[], refusals: readonly PoolRefusal[], problem: Problem): Generator<Fix> {
  const { pools } = problem.snapshot;
  const refused = refusals.flatMap(({ pool: name, reasons }) => {
    const pool = pools.find((one) => one.name === name);
    return pool ? reasons.map((reason) => ({ pool, reason })) : [];
  });
  for (const proposers of [CHANGE_PROPOSERS, WAIT_PROPOSERS]) {
    let isFixed = false;
    for (const { pool, reason } of refused) {
      for (const proposal of proposers[reason.code]?.(pool, reason, pods, problem) ?? []) {
        const verified = tryProposal(proposal, problem);
        isFixed ||= verified.length > 0;
        yield* verified;
      }
    }
    if (isFixed) return;
  }
}

/**
 * The order in which an engineer would consider the changes: mistakes first, then what the NodePool
 * allows, the pod's request, money, and last the nodes that are reserved for other pods.
 */
const RANKS: Readonly<Record<Fix['kind'], number>> = {
  'rename-label': 0,
  'correct-value': 0,
  'create-volume-claim': 0,
  'correct-class': 0,
  'allow-values': 1,
  'lower-min-values': 1,
  'add-label': 1,
  'reduce-request': 2,
  'raise-limit': 3,
  'drop-requirement': 4,
  'add-toleration': 5,
  wait: 6,
};

/** More alternatives would hide the first ones. */
const MAX_FIXES_OF_A_POD = 4;

function rankFixes(fixes: readonly Fix[]): RankedFixes {
  const [first, ...others] = fixes.toSorted(
    (a, b) =>
      Number(a.adds !== undefined) - Number(b.adds !== undefined) ||
      RANKS[a.kind] - RANKS[b.kind] ||
      a.hourlyUsd - b.hourlyUsd ||
      (`${a.object} ${a.path}` < `${b.object} ${b.path}` ? -1 : 1),
  );
  if (!first) return undefined;
  const texts = new Set([keyOf(first)]);
  const distinct = others.filter((fix) => !texts.has(keyOf(fix)) && texts.add(keyOf(fix)));
  return [first, ...distinct.slice(0, MAX_FIXES_OF_A_POD - 1)];
}

const keyOf = ({ object, path, to }: Fix): string => `${object} ${path} ${to}`;

function tryProposal({ snapshot, pods, ...change }: FixProposal, before: Problem): Fix[] {
  const problem = prepare(snapshot, before.work);
  const { unplaced, newNodes } = solve(problem, pods);
  if (unplaced.size > 0) return [];
  const pool = before.snapshot.pools.find(({ name }) => change.object === `NodePool/${name}`);
  const adds = pool ? listAddedKinds(newNodes, listMissingKinds(pool, pods, before), problem) : [];
  const { hourlyUsd } = computeCost({ newNodes, problem });
  return [
    {
      ...change,
      ...(newNodes.length > 0 && { launches: describeNodes(newNodes, problem) }),
      ...(adds.length > 0 && { adds }),
      hourlyUsd,
    },
  ];
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

/** Proposes to wait until the unavailable offerings are tried again. */
const proposeWaiting: FixProposer = (pool, { fields: { until = '' } }, pods, { snapshot }) => {
  const unavailable = snapshot.unavailable.filter((offering) => formatInstant(offering.until) > until);
  return [
    {
      kind: 'wait',
      object: `NodePool/${pool.name}`,
      path: 'offerings',
      to: until,
      snapshot: { ...snapshot, unavailable },
      pods,
    },
  ];
};

/** Proposes to wait until the hours of the NodePool begin. */
const proposeHours: FixProposer = (pool, { fields: { until = '' } }, pods, { snapshot }) => [
  {
    kind: 'wait',
    object: `NodePool/${pool.name}`,
    path: 'hours',
    to: until,
    snapshot: {
      ...snapshot,
      pools: snapshot.pools.map((one) => (one.name === pool.name ? withoutOffHours(one) : one)),
    },
    pods,
  },
];

/** A larger type for the pod, or a smaller pod for the types. */
const proposeLargerOrSmaller: FixProposer = (...refused) => [
  ...proposeCheapestValues(...refused),
  ...proposeSmallerRequest(...refused),
];

type ProposersByReason = Partial<Record<ReasonCode, FixProposer>>;

/** Reasons that a change of one field may resolve. */
const CHANGE_PROPOSERS: ProposersByReason = {
  'limit-reached': proposeHigherLimit,
  'pool-not-ready': proposeClassCorrection,
  'taint-not-tolerated': proposeToleration,
  'requirement-conflict': (...refused) => [
    ...proposeCorrectValue(...refused),
    ...proposeWiderValues(...refused),
    ...proposeTypesOfValue(...refused),
  ],
  'unknown-label': (...refused) => [...proposeLabelRename(...refused), ...proposeNodeLabel(...refused)],
  'pool-has-no-types': (...refused) => [
    ...proposeCorrectRequirement(...refused),
    ...proposeDroppedRequirement(...refused),
  ],
  'too-large': proposeLargerOrSmaller,
  'no-type-matches': proposeLargerOrSmaller,
  'no-offering-in-zone': proposeCheapestValues,
  ice: proposeCheapestValues,
  'min-values-unmet': (...refused) => [...proposeLowerMinValues(...refused), ...proposeCheapestValues(...refused)],
  'topology-spread': proposeCheapestValues,
  'pod-anti-affinity': proposeCheapestValues,
  'volume-not-ready': proposeVolumeClaim,
};

/** Reasons that time resolves. */
const WAIT_PROPOSERS: ProposersByReason = { ice: proposeWaiting, 'off-hours': proposeHours };
