import type { Fix, PoolRefusal, ProvisioningPlan } from '../../model/plans.ts';
import type { Pod } from '../../model/pod.ts';
import type { ReasonCode } from '../../model/reasons.ts';
import { formatInstant } from '../../model/time.ts';
import { costOf } from '../packing/packing.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { solve } from '../search/solve.ts';
import { afterPlan } from './cluster-after-plan.ts';
import { allowCheapest, dropRequirement, labelNodes, lowerMinValues, raiseLimit, widen } from './fix-node-pools.ts';
import { createVolumeClaim, renameLabel, tolerate } from './fix-pods.ts';
import type { Proposal, Remedy } from './fix-proposal.ts';

/** Each candidate costs a decision of its own: nobody reads more at once. */
const MOST_FIXES = 20;

/**
 * Finds changes that let pods run which `plan` leaves without a place, once what it does place is
 * there. The first of many groups of pods get an answer.
 */
export function fixFinder(
  problem: Problem,
  plan: Pick<ProvisioningPlan, 'claims' | 'placements'>,
): (pods: readonly Pod[], refusals: readonly PoolRefusal[]) => Fix | undefined {
  let asked = 0;
  let afterwards: Problem | undefined;
  return (pods, refusals) => {
    asked += 1;
    if (asked > MOST_FIXES) return undefined;
    const { snapshot } = problem;
    const isIdle = plan.claims.length === 0 && plan.placements.length === 0;
    afterwards ??= isIdle ? problem : prepare(afterPlan(snapshot, plan));
    return smallestFix(pods, refusals, afterwards);
  };
}

/**
 * The cheapest change of a single field with which all of the pods are placed; if there is none, the
 * time from which EC2 is asked again, if that would do. Each candidate is tried: a suggestion that
 * was not decided on is none.
 *
 * @param pods - equal pods that the plan left without a place
 * @param refusals - why each pool refuses them, as the plan found it
 */
function smallestFix(
  pods: readonly Pod[],
  refusals: readonly PoolRefusal[],
  problem: Problem,
): Fix | undefined {
  const { pools } = problem.snapshot;
  const refused = refusals.flatMap(({ pool: name, reasons }) => {
    const pool = pools.find((one) => one.name === name);
    return pool ? reasons.map((reason) => ({ pool, reason })) : [];
  });
  const cheapestOf = (remedies: Remedies): Fix | undefined =>
    refused
      .flatMap(({ pool, reason }) => remedies[reason.code]?.(pool, reason, pods, problem) ?? [])
      .flatMap(tried)
      .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd || (a.object < b.object ? -1 : 1))[0];
  return cheapestOf(CHANGES) ?? cheapestOf(WAITS);
}

function tried({ snapshot, pods, ...change }: Proposal): Fix[] {
  const problem = prepare(snapshot);
  const { unplaced, drafts } = solve(problem, pods);
  if (unplaced.size > 0) return [];
  return [{ ...change, hourlyUsd: costOf({ drafts, problem }).hourlyUsd }];
}

/** From when the offerings are tried again that EC2 had none of. */
const awaitCapacity: Remedy = (pool, { fields: { until = '' } }, pods, { snapshot }) => {
  const unavailable = snapshot.unavailable.filter((dry) => formatInstant(dry.until) > until);
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

type Remedies = Partial<Record<ReasonCode, Remedy>>;

/** Refusals that a change of one field may cure. */
const CHANGES: Remedies = {
  'limit-reached': raiseLimit,
  'taint-not-tolerated': tolerate,
  'requirement-conflict': widen,
  'unknown-label': (...refused) => [...renameLabel(...refused), ...labelNodes(...refused)],
  'pool-has-no-types': dropRequirement,
  'too-large': allowCheapest,
  'no-type-matches': allowCheapest,
  'no-offering-in-zone': allowCheapest,
  ice: allowCheapest,
  'min-values-unmet': (...refused) => [...lowerMinValues(...refused), ...allowCheapest(...refused)],
  'topology-spread': allowCheapest,
  'pod-anti-affinity': allowCheapest,
  'volume-not-ready': createVolumeClaim,
};

/** Refusals that pass by themselves. */
const WAITS: Remedies = { ice: awaitCapacity };
