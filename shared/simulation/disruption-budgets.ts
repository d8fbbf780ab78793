import type { Pod } from '../model/pod.ts';
import { selects } from '../model/selectors.ts';
import type { PodDisruptionBudget } from '../model/workload.ts';
import type { ApiServer } from './api-server.ts';
import { isFinished } from './pod-store.ts';

/** The budgets with the status that the disruption controller would give them now. */
export interface DisruptionBudgets {
  /** The same array until a pod or a workload changes. */
  list(): readonly PodDisruptionBudget[];
  covering(pod: Pod): readonly PodDisruptionBudget[];
}

/** @param replicasOf - what the owner of a pod is scaled to; absent: nothing that has a scale */
export function createDisruptionBudgets(
  api: ApiServer,
  replicasOf: (ownerUid: string) => number | undefined,
): DisruptionBudgets {
  let listed: readonly PodDisruptionBudget[] = [];
  let listedAt = '';

  function list(): readonly PodDisruptionBudget[] {
    const state = `${api.pods.version()} ${api.workloads.version()}`;
    if (state === listedAt) return listed;
    listedAt = state;
    listed = api.podDisruptionBudgets.map((budget) =>
      withStatus(budget, coveredPods(api, budget), replicasOf),
    );
    return listed;
  }

  return {
    list,
    covering: ({ namespace, labels }) =>
      list().filter((budget) => budget.namespace === namespace && selects(budget.selector, labels)),
  };
}

const coveredPods = (api: ApiServer, { namespace, selector }: PodDisruptionBudget): Pod[] =>
  api.pods
    .list()
    .filter(
      (pod) => pod.namespace === namespace && !isFinished(pod) && selects(selector, pod.labels),
    );

function withStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  replicasOf: (ownerUid: string) => number | undefined,
): PodDisruptionBudget {
  const currentHealthy = pods.filter(({ ready, deletionAt }) => ready && !deletionAt).length;
  const desired = desiredHealthy(budget, pods, replicasOf);
  // The controller could not work it out: then it allows nothing.
  if (desired === undefined) {
    return { ...budget, currentHealthy, desiredHealthy: 0, disruptionsAllowed: 0 };
  }
  const disruptionsAllowed = pods.length === 0 ? 0 : Math.max(0, currentHealthy - desired);
  return { ...budget, currentHealthy, desiredHealthy: desired, disruptionsAllowed };
}

/** @see kubernetes, disruption controller `getExpectedPodCount` */
function desiredHealthy(
  { minAvailable, maxUnavailable }: PodDisruptionBudget,
  pods: readonly Pod[],
  replicasOf: (ownerUid: string) => number | undefined,
): number | undefined {
  if (maxUnavailable !== undefined) {
    const expected = expectedScale(pods, replicasOf);
    return expected === undefined
      ? undefined
      : Math.max(0, expected - amountOf(maxUnavailable, expected));
  }
  if (minAvailable === undefined) return 0;
  if (!minAvailable.endsWith('%')) return Number(minAvailable);
  const expected = expectedScale(pods, replicasOf);
  return expected === undefined ? undefined : amountOf(minAvailable, expected);
}

/** Percentages round up, for both fields. */
const amountOf = (written: string, expected: number): number =>
  written.endsWith('%')
    ? Math.ceil((expected * Number(written.slice(0, -1))) / 100)
    : Number(written);

function expectedScale(
  pods: readonly Pod[],
  replicasOf: (ownerUid: string) => number | undefined,
): number | undefined {
  const owners = new Set(pods.map(({ owner }) => owner?.uid ?? ''));
  const scales = [...owners].map(replicasOf);
  return scales.includes(undefined)
    ? undefined
    : scales.reduce<number>((sum, scale) => sum + (scale ?? 0), 0);
}
