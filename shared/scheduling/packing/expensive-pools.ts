import { EXPENSIVE_POOL_ANNOTATION } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { findCheapestChoice, listPoolChoices, type PoolChoice } from './pool-choices.ts';

/** A pool is expensive for a pod if another one is cheaper by this factor; spot prices move by less. */
const EXPENSIVE_FACTOR = 1.25;

const NO_POOLS: ReadonlySet<string> = new Set();
const expensivePools = new WeakMap<Problem['snapshot'], ReadonlySet<string>>();

/**
 * Finds the pools that are expensive for some of the pods that may run there. kube-scheduler does not
 * know prices: a Job that tolerates the taint of a spot pool takes the room of on-demand nodes, and more
 * of them are launched for the pods that need them. New nodes of these pools get a taint that makes such
 * pods prefer the cheaper pool. All other pods have no choice, so the taint changes nothing for them.
 *
 * If a pod that has the choice prefers nodes itself, the taint could outweigh its preference: its pools
 * get none. A pool whose nodes have the taint stays expensive while no pod has a choice, so that Jobs
 * which come and go do not change it. The same holds for all pools if their prices take more operations
 * than they may.
 */
export function findExpensivePools(problem: Problem): ReadonlySet<string> {
  const { snapshot, work } = problem;
  if (snapshot.settings?.steerPods === false) return NO_POOLS;
  return getOrCreate(
    expensivePools,
    snapshot,
    () =>
      work.tryOptional(WORK_LIMITS.steering, () => computeExpensivePools(problem)) ?? new Set(listMarkedPools(problem)),
  );
}

function computeExpensivePools(problem: Problem): ReadonlySet<string> {
  const expensive = new Set<string>();
  const cheap = new Set<string>();
  const leftAlone = new Set<string>();
  // With one pool, no pod has a choice.
  const specs = problem.snapshot.pools.length > 1 ? listSpecs(problem) : [];
  for (const spec of specs) {
    const choices = listPoolChoices(spec, problem);
    const cheapest = findCheapestChoice(spec, choices, problem);
    if (!cheapest) continue;
    if (spec.preferredNodeTerms.length > 0) {
      if (countPools(choices) > 1) addPools(leftAlone, choices);
      continue;
    }
    const moreExpensive = choices.filter(
      (_, index) => at(cheapest.shares, index) > cheapest.shareUsd * EXPENSIVE_FACTOR,
    );
    if (moreExpensive.length === 0) continue;
    addPools(expensive, moreExpensive);
    cheap.add(cheapest.pool);
  }
  for (const pool of listMarkedPools(problem)) if (!cheap.has(pool)) expensive.add(pool);
  return new Set([...expensive].filter((pool) => !leftAlone.has(pool)));
}

const countPools = (choices: readonly PoolChoice[]): number =>
  choices.reduce((total, { pools }) => total + pools.length, 0);

function addPools(set: Set<string>, choices: readonly PoolChoice[]): void {
  for (const { pools } of choices) for (const pool of pools) set.add(pool);
}

/** Lists the pools whose nodes have the taint. */
const listMarkedPools = ({ snapshot }: Problem): readonly string[] =>
  snapshot.claims
    .filter(({ annotations }) => annotations[EXPENSIVE_POOL_ANNOTATION] === 'true')
    .map(({ pool }) => pool);

/** Pods of one template share their spec. */
function listSpecs({ snapshot }: Problem): ReadonlySet<PodSpec> {
  const specs = new Set<PodSpec>();
  for (const pod of snapshot.pods) if (!specs.has(pod.spec) && !isDaemon(pod) && !isTerminal(pod)) specs.add(pod.spec);
  return specs;
}
