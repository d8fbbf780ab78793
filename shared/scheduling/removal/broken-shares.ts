import { CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import {
  computeMissingOnDemand,
  computeRequiredOnDemand,
  formatOnDemandShare,
  type OnDemandShare,
  type SharedCapacity,
  type ShareUnit,
} from '../../model/offerings/on-demand-share.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { CPU } from '../../model/resources.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { isOnDemand, listRunningPods, readPodShare, sumPoolCapacity, toShareOwner } from '../input/shared-capacity.ts';

/** Nodes that are removed, and where their pods go. */
export interface SharedMove {
  readonly removed: ReadonlySet<string>;
  readonly pods: readonly Pod[];
  readonly placements: readonly Placement[];
  readonly claims: readonly PlannedClaim[];
}

/** A share on demand that a move would take more from than it lacks already. */
export interface BrokenShare {
  /** `NodePool general`, or a pod of the workload: redaction knows names of pods only. */
  readonly owner: string;
  /** For example `2 pods and 30 % of those above`. */
  readonly share: string;
  readonly onDemand: string;
  readonly required: string;
}

/** True if some NodePool, or a workload of the pods, has a share on demand. */
export const hasOnDemandShare = (pods: readonly Pod[], { snapshot }: Problem): boolean =>
  snapshot.pools.some(({ onDemandShare }) => onDemandShare) || pods.some(readPodShare);

/**
 * Finds a share on demand that holds now and would not hold after the move, or that would lack more than
 * it lacks now.
 */
export const findBrokenShare = (move: SharedMove, problem: Problem): BrokenShare | undefined =>
  findBrokenPoolShare(move, problem) ?? findBrokenWorkloadShare(move, problem);

function findBrokenPoolShare({ removed, placements, claims }: SharedMove, problem: Problem): BrokenShare | undefined {
  const { existingNodes, runningNodes, snapshot } = problem;
  const staying = existingNodes.filter(({ name }) => !removed.has(name));
  const receivers = new Set(placements.map(({ target }) => target));
  for (const { name, onDemandShare } of snapshot.pools) {
    if (!onDemandShare) continue;
    const before = sumPoolCapacity(name, runningNodes, problem);
    const after = sumPoolCapacity(name, staying, problem, receivers);
    const own = claims.filter(({ claim }) => claim.pool === name);
    const sum = (some: readonly PlannedClaim[]): number =>
      some.reduce((cpus, one) => cpus + countClaimCpus(one, problem), 0);
    const launched = {
      onDemand: after.onDemand + sum(own.filter(isOnDemandClaim)),
      total: after.total + sum(own),
    };
    const broken = compare(onDemandShare, before, launched, `NodePool ${name}`, 'vCPUs');
    if (broken) return broken;
  }
  return undefined;
}

function findBrokenWorkloadShare({ pods, placements, claims }: SharedMove, problem: Problem): BrokenShare | undefined {
  const shared = Map.groupBy(
    pods.filter((pod) => readPodShare(pod)),
    toShareOwner,
  );
  if (shared.size === 0) return undefined;
  const onDemandAfter = listPodsOnDemand(placements, claims, problem);
  for (const [owner, moving] of shared) {
    const [example] = moving;
    const share = example && readPodShare(example);
    if (!share) continue;
    const before = new Map(listRunningPods(problem).get(owner));
    const after = new Map(before);
    for (const key of moving.map(podKey)) after.set(key, onDemandAfter.has(key));
    const name = `the workload of ${podKey(example)}`;
    const broken = compare(share, countPods(before), countPods(after), name, 'pods');
    if (broken) return broken;
  }
  return undefined;
}

function listPodsOnDemand(
  placements: readonly Placement[],
  claims: readonly PlannedClaim[],
  { existingNodes }: Problem,
): ReadonlySet<PodKey> {
  const onDemand = new Set(existingNodes.filter(isOnDemand).map(({ name }) => name));
  return new Set([
    ...placements.filter(({ target }) => onDemand.has(target)).flatMap(({ pods }) => pods),
    ...claims.filter(isOnDemandClaim).flatMap(({ pods }) => pods),
  ]);
}

const countPods = (pods: ReadonlyMap<PodKey, boolean>): SharedCapacity => ({
  onDemand: [...pods.values()].filter(Boolean).length,
  total: pods.size,
});

function compare(
  share: OnDemandShare,
  before: SharedCapacity,
  after: SharedCapacity,
  owner: string,
  unit: ShareUnit,
): BrokenShare | undefined {
  const missing = computeMissingOnDemand(share, after, unit);
  if (missing === 0 || missing <= computeMissingOnDemand(share, before, unit)) return undefined;
  const required = computeRequiredOnDemand(share, after.total, unit);
  return {
    owner,
    share: formatOnDemandShare(share, unit),
    onDemand: `${formatAmount(after.onDemand)} of ${formatAmount(after.total)}`,
    required: formatAmount(required),
  };
}

const formatAmount = (amount: number): string => `${Math.round(amount * 10) / 10}`;

const isOnDemandClaim = ({ claim }: PlannedClaim): boolean =>
  claim.requirements.some(({ key, values }) => key === CAPACITY_TYPE_LABEL && !values?.includes('spot'));

function countClaimCpus({ cheapest }: PlannedClaim, { typeIndex, columns }: Problem): number {
  const [type] = typeIndex.numbersOf.get(cheapest.instanceType) ?? [];
  const capacity = type === undefined ? undefined : typeIndex.capacity[type];
  return capacity ? at(capacity, columns.indexOf.get(CPU) ?? -1) / 1000 : 0;
}
