import type { Placement, PlannedClaim } from '../../model/plans.ts';
import { findTemplateOwner, type Pod, type PodKey, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import type { OwnerRestart } from '../../model/pods/workload.ts';

/**
 * Lists the pods that the rollouts of a removal run besides the pods that leave the nodes. A rollout
 * that replaces pods on other nodes too starts each new pod before it ends an old one. It goes on
 * after the leaving pods have moved, so the nodes that stay need room for its surge as well. Without
 * that room, a node is launched for it, which the next consolidation removes with another rollout.
 *
 * @param batch - the pods that leave the nodes
 */
export const listRolloutPods = (batch: readonly Pod[], restarts: readonly OwnerRestart[] = []): readonly Pod[] =>
  restarts.flatMap(({ owner, replicas, surge }) => {
    const leaving = batch.filter((pod) => toOwnerUid(pod) === owner);
    const [first] = leaving;
    const count = Math.max(0, Math.min(surge, replicas - leaving.length));
    return first ? Array.from({ length: count }, (_, index) => createRolloutPod(first, index)) : [];
  });

/** A pod without a node counts in its topology domain beside the pod that it is made after. */
function createRolloutPod(pod: Pod, index: number): Pod {
  const { nodeName: _, startedAt: __, runningAt: ___, ...rest } = pod;
  const suffix = `-rollout-${index}`;
  const identity = { name: `${pod.name}${suffix}`, uid: `${pod.uid}${suffix}` };
  return { ...rest, ...identity, phase: 'Pending', ready: false };
}

/** Removes pods from what is planned that have room there, but do not move: they are not reported. */
export function withoutPods<
  T extends {
    readonly claims?: readonly PlannedClaim[];
    readonly placements: readonly Placement[];
  },
>(plan: T, others: readonly Pod[]): T {
  if (others.length === 0) return plan;
  const added = new Set(others.map(podKey));
  const isReal = (pod: PodKey): boolean => !added.has(pod);
  const { claims, placements } = plan;
  return {
    ...plan,
    ...(claims && { claims: claims.map((one) => ({ ...one, pods: one.pods.filter(isReal) })) }),
    placements: placements.flatMap((one) => {
      const pods = one.pods.filter(isReal);
      return pods.length > 0 ? [{ ...one, pods }] : [];
    }),
  };
}

/** Names what the rollouts need, as a field of a reason; no field if they need nothing. */
export function formatRollout(rolloutPods: readonly Pod[]): { readonly rollout?: string } {
  const owners = new Set(rolloutPods.map(findTemplateOwner));
  if (owners.size === 0) return {};
  return { rollout: `${rolloutPods.length} more of the rollout of ${[...owners].join(', ')}` };
}
