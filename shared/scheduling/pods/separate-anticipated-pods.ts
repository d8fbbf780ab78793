import type { ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pod.ts';

/**
 * The plan with pods that nobody has created named beside those that are there: those that are
 * awaited, and those that stand for the room of buffers.
 */
export function tellApart(
  plan: ProvisioningPlan,
  awaited: readonly Pod[],
  headroom: readonly Pod[],
): ProvisioningPlan {
  const toCome = new Set(awaited.map(podKey));
  const kept = new Set(headroom.map(podKey));
  const isThere = (pod: PodKey): boolean => !toCome.has(pod) && !kept.has(pod);
  return {
    ...plan,
    claims: plan.claims.map((claim) => {
      const anticipated = claim.pods.filter((pod) => toCome.has(pod));
      const room = claim.pods.filter((pod) => kept.has(pod));
      if (anticipated.length + room.length === 0) return claim;
      return {
        ...claim,
        pods: claim.pods.filter(isThere),
        ...(anticipated.length > 0 && { anticipated }),
        ...(room.length > 0 && { headroom: room }),
      };
    }),
    placements: plan.placements.flatMap((placement) => {
      const anticipated = placement.pods.filter((pod) => toCome.has(pod));
      const pods = placement.pods.filter(isThere);
      // Room on a node that is there is nobody's business: nothing is on its way to it.
      if (pods.length + anticipated.length === 0) return [];
      return [{ ...placement, pods, ...(anticipated.length > 0 && { anticipated }) }];
    }),
    // Nobody misses a pod that is not there.
    unplaced: plan.unplaced.flatMap((group) => {
      const pods = group.pods.filter(isThere);
      return pods.length > 0 ? [{ ...group, pods }] : [];
    }),
  };
}
