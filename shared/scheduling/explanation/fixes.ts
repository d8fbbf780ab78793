import { listChanges } from '../../model/explanations/plan-text.ts';
import type { Fix, FixChange, FixKind, PoolRefusal, ProvisioningPlan } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { applyPlan } from './cluster-after-plan.ts';
import { searchFixes } from './search-fixes.ts';

/** Verifying a proposal costs a whole plan, so only the first groups of pods get a fix. */
const MAX_FIXES = 20;

/** The fixes for equal pods, best first; undefined if up to three changes do not help. */
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
      for (const fix of searchFixes(pods, refusals, problemAfterPlan)) fixes.push(fix);
      return fixes;
    });
    return rankFixes(fixes, pods);
  };
}

/**
 * The order in which an engineer would consider the changes: mistakes first, then what the NodePool
 * allows, the pod's request, money, weaker rules, and last the nodes that are reserved for other pods.
 */
const RANKS: Readonly<Record<FixKind, number>> = {
  'rename-label': 0,
  'rename-resource': 0,
  'correct-value': 0,
  'correct-storage-class': 0,
  'create-volume-claim': 0,
  'correct-class': 0,
  'allow-values': 2,
  'lower-min-values': 2,
  'add-label': 2,
  'change-class': 2,
  'reduce-request': 3,
  'raise-limit': 4,
  'lower-min-domains': 5,
  'drop-requirement': 6,
  'prefer-rule': 7,
  'add-node-pool': 8,
  'add-toleration': 9,
  'drop-selector': 10,
  wait: 11,
};

/** A NodePool with the taint `nvidia.com/gpu` is meant for the pods that request this resource. */
function rankOf({ kind, to }: FixChange, [pod]: readonly Pod[]): number {
  const requested = Object.keys(pod?.spec.requests ?? {});
  const isMeant =
    kind === 'add-toleration' && requested.some((one) => to.startsWith(`${one}=`) || to.startsWith(`${one}:`));
  return isMeant ? 1 : RANKS[kind];
}

/** More alternatives would hide the first ones. */
const MAX_FIXES_OF_A_POD = 4;

function rankFixes(fixes: readonly Fix[], pods: readonly Pod[]): RankedFixes {
  const ranked = fixes.map((fix) => ({
    fix,
    key: listChanges(fix)
      .map(({ object, path, to }) => `${object} ${path} ${to}`)
      .toSorted()
      .join(),
    rank: Math.max(...listChanges(fix).map((change) => rankOf(change, pods))),
  }));
  const sorted = ranked.toSorted(
    (a, b) =>
      listChanges(a.fix).length - listChanges(b.fix).length ||
      Number(a.fix.adds !== undefined) - Number(b.fix.adds !== undefined) ||
      a.rank - b.rank ||
      a.fix.hourlyUsd - b.fix.hourlyUsd ||
      (`${a.fix.object} ${a.fix.path}` < `${b.fix.object} ${b.fix.path}` ? -1 : 1),
  );
  // The same changes in another order are the same fix.
  const keys = new Set<string>();
  const [first, ...others] = sorted.flatMap(({ fix, key }) => (keys.has(key) || !keys.add(key) ? [] : [fix]));
  return first && [first, ...others.slice(0, MAX_FIXES_OF_A_POD - 1)];
}
