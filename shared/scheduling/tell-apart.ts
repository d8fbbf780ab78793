import type { ProvisioningPlan } from '../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../model/pod.ts';

/** The plan with pods that nobody has created yet named beside those that are there. */
export function tellApart(plan: ProvisioningPlan, awaited: readonly Pod[]): ProvisioningPlan {
  const keys = new Set(awaited.map(podKey));
  const apart = <T extends WithPods>(one: T): T => withAwaitedApart(one, keys);
  return {
    ...plan,
    claims: plan.claims.map(apart),
    placements: plan.placements.map(apart),
    // Nobody misses a pod that is not there.
    unplaced: plan.unplaced.flatMap((group) => {
      const pods = group.pods.filter((pod) => !keys.has(pod));
      return pods.length > 0 ? [{ ...group, pods }] : [];
    }),
  };
}

interface WithPods {
  readonly pods: readonly PodKey[];
  readonly anticipated?: readonly PodKey[];
}

function withAwaitedApart<T extends WithPods>(one: T, awaited: ReadonlySet<PodKey>): T {
  const anticipated = one.pods.filter((pod) => awaited.has(pod));
  if (anticipated.length === 0) return one;
  return { ...one, pods: one.pods.filter((pod) => !awaited.has(pod)), anticipated };
}
