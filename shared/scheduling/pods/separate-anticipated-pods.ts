import type { ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';

/**
 * The plan with pods that nobody has created named beside those that are there: those that are
 * awaited, and those that stand for the room of buffers.
 */
export function separateAnticipatedPods(
  plan: ProvisioningPlan,
  awaited: readonly Pod[],
  headroom: readonly Pod[],
): ProvisioningPlan {
  const anticipatedKeys = new Set(awaited.map(podKey));
  const headroomKeys = new Set(headroom.map(podKey));
  const isExistingPod = (pod: PodKey): boolean =>
    !anticipatedKeys.has(pod) && !headroomKeys.has(pod);
  return {
    ...plan,
    claims: plan.claims.map((claim) => {
      const anticipated = claim.pods.filter((pod) => anticipatedKeys.has(pod));
      const headroomOfClaim = claim.pods.filter((pod) => headroomKeys.has(pod));
      if (anticipated.length + headroomOfClaim.length === 0) return claim;
      return {
        ...claim,
        pods: claim.pods.filter(isExistingPod),
        ...(anticipated.length > 0 && { anticipated }),
        ...(headroomOfClaim.length > 0 && { headroom: headroomOfClaim }),
      };
    }),
    placements: plan.placements.flatMap((placement) => {
      const anticipated = placement.pods.filter((pod) => anticipatedKeys.has(pod));
      const pods = placement.pods.filter(isExistingPod);
      // Room on a node that is there is nobody's business: nothing is on its way to it.
      if (pods.length + anticipated.length === 0) return [];
      return [{ ...placement, pods, ...(anticipated.length > 0 && { anticipated }) }];
    }),
    // Nobody misses a pod that is not there.
    unplaced: plan.unplaced.flatMap((group) => {
      const pods = group.pods.filter(isExistingPod);
      return pods.length > 0 ? [{ ...group, pods }] : [];
    }),
  };
}
