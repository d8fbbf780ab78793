import { getOrCreate } from '../../model/memo.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import { selects } from '../../model/requirements/selectors.ts';
import type { ApiServer } from './api-server.ts';
import type { SimPodClass } from './pod-store.ts';

/** PodDisruptionBudgets with the status that the disruption controller would write now. */
export interface DisruptionBudgets {
  /** Returns the same array until a pod or a workload changes. */
  list(): readonly PodDisruptionBudget[];
  covering(pod: Pod): readonly PodDisruptionBudget[];
}

/**
 * @param replicasOf - replica count of a pod's owner; `undefined` if the owner has no scale
 */
export function createDisruptionBudgets(
  api: ApiServer,
  replicasOf: (ownerUid: string) => number | undefined,
): DisruptionBudgets {
  const health = watchClassHealth(api);
  const watched = api.podDisruptionBudgets.map((budget) => ({
    budget,
    covers: memoizeByClass((podClass) => isCovered(budget, podClass)),
  }));
  let listed: readonly PodDisruptionBudget[] = [];
  let listedAt = '';

  function list(): readonly PodDisruptionBudget[] {
    const state = `${api.pods.version()} ${api.workloads.version()}`;
    if (state === listedAt) return listed;
    listedAt = state;
    listed = watched.map(({ budget, covers }) => {
      const pods = [...health].filter(([podClass]) => covers(podClass)).map(([, counts]) => counts);
      return computeStatus(budget, pods, replicasOf);
    });
    return listed;
  }

  return {
    list,
    covering(pod) {
      const podClass = api.classes.of(pod);
      return list().filter((_, index) => watched[index]?.covers(podClass));
    },
  };
}

const isCovered = ({ namespace, selector }: PodDisruptionBudget, podClass: SimPodClass): boolean =>
  podClass.namespace === namespace && selects(selector, podClass.labels);

/** Computes the result once per class. */
function memoizeByClass(compute: (podClass: SimPodClass) => boolean): (podClass: SimPodClass) => boolean {
  const results = new Map<SimPodClass, boolean>();
  return (podClass) => {
    return getOrCreate(results, podClass, () => compute(podClass));
  };
}

function computeStatus(
  budget: PodDisruptionBudget,
  classes: readonly PodClassHealth[],
  replicasOf: (ownerUid: string) => number | undefined,
): PodDisruptionBudget {
  const pods = classes.reduce((sum, counts) => sum + counts.pods, 0);
  const currentHealthy = classes.reduce((sum, counts) => sum + counts.healthy, 0);
  const owners = new Set(classes.flatMap((counts) => [...counts.owners.keys()]));
  const isFixed = budget.maxUnavailable === undefined && !budget.minAvailable?.endsWith('%');
  const expectedPods = isFixed ? pods : computeExpectedScale(owners, replicasOf);
  // If the expected pod count is unknown, Kubernetes allows no disruption.
  if (expectedPods === undefined) {
    const unknown = { desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 };
    return { ...budget, currentHealthy, ...unknown };
  }
  const desiredHealthy = computeDesiredHealthy(budget, expectedPods);
  const disruptionsAllowed = pods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return { ...budget, currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed };
}

/**
 * @see kubernetes, disruption controller `getExpectedPodCount`
 */
function computeDesiredHealthy({ minAvailable, maxUnavailable }: PodDisruptionBudget, expected: number): number {
  return maxUnavailable === undefined
    ? resolveAmount(minAvailable ?? '0', expected)
    : Math.max(0, expected - resolveAmount(maxUnavailable, expected));
}

/** Percentages round up, for both fields. */
const resolveAmount = (value: string, expected: number): number =>
  value.endsWith('%') ? Math.ceil((expected * Number(value.slice(0, -1))) / 100) : Number(value);

function computeExpectedScale(
  owners: ReadonlySet<string>,
  replicasOf: (ownerUid: string) => number | undefined,
): number | undefined {
  const scales = [...owners].map(replicasOf);
  return scales.includes(undefined) ? undefined : scales.reduce<number>((sum, scale) => sum + (scale ?? 0), 0);
}

/** Counts over the unfinished pods of a class, as disruption budgets need them. */
interface PodClassHealth {
  readonly pods: number;
  /** Ready and not terminating. */
  readonly healthy: number;
  /** Pods by the uid of their owner; '' for pods without an owner. */
  readonly owners: ReadonlyMap<string, number>;
}

interface Counts extends PodClassHealth {
  pods: number;
  healthy: number;
  readonly owners: Map<string, number>;
}

/**
 * Updated with every pod change, so that a budget's status costs one step per class instead of one
 * per pod.
 */
function watchClassHealth({ pods, classes }: ApiServer): ReadonlyMap<SimPodClass, PodClassHealth> {
  const health = new Map<SimPodClass, Counts>();

  function count(pod: Pod | undefined, sign: 1 | -1): void {
    if (!pod || isTerminal(pod)) return;
    const podClass = classes.of(pod);
    const counts = health.get(podClass) ?? { pods: 0, healthy: 0, owners: new Map() };
    counts.pods += sign;
    if (pod.ready && pod.deletionAt === undefined) counts.healthy += sign;
    countOwner(counts.owners, pod.owner?.uid ?? '', sign);
    if (counts.pods === 0) health.delete(podClass);
    else health.set(podClass, counts);
  }

  for (const pod of pods.list()) count(pod, 1);
  pods.watch(({ before, after }) => {
    count(before, -1);
    count(after, 1);
  });
  return health;
}

function countOwner(owners: Map<string, number>, uid: string, sign: number): void {
  const pods = (owners.get(uid) ?? 0) + sign;
  if (pods === 0) owners.delete(uid);
  else owners.set(uid, pods);
}
