import type { ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';

/**
 * Lists anticipated pods and buffer pods of a plan in fields of their own, because they do not
 * exist yet.
 */
export function separateAnticipatedPods(
  plan: ProvisioningPlan,
  anticipatedPods: readonly Pod[],
  bufferPods: readonly Pod[],
): ProvisioningPlan {
  const anticipatedKeys = new Set(anticipatedPods.map(podKey));
  const bufferKeys = new Set(bufferPods.map(podKey));
  const isExistingPod = (pod: PodKey): boolean => !anticipatedKeys.has(pod) && !bufferKeys.has(pod);
  return {
    ...plan,
    claims: plan.claims.map((claim) => {
      const anticipated = claim.pods.filter((pod) => anticipatedKeys.has(pod));
      const bufferPodsOfClaim = claim.pods.filter((pod) => bufferKeys.has(pod));
      if (anticipated.length + bufferPodsOfClaim.length === 0) return claim;
      return {
        ...claim,
        pods: claim.pods.filter(isExistingPod),
        ...(anticipated.length > 0 && { anticipated }),
        ...(bufferPodsOfClaim.length > 0 && { headroom: bufferPodsOfClaim }),
      };
    }),
    placements: plan.placements.flatMap((placement) => {
      const anticipated = placement.pods.filter((pod) => anticipatedKeys.has(pod));
      const pods = placement.pods.filter(isExistingPod);
      // Buffer pods on an existing node are not reported: nothing is launched for them.
      if (pods.length + anticipated.length === 0) return [];
      return [{ ...placement, pods, ...(anticipated.length > 0 && { anticipated }) }];
    }),
    // Anticipated pods and buffer pods are not reported as unplaced.
    unplaced: plan.unplaced.flatMap((group) => {
      const pods = group.pods.filter(isExistingPod);
      return pods.length > 0 ? [{ ...group, pods }] : [];
    }),
  };
}
