import type { PodGroup } from '../../assignment/pod-groups.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { clear, copyOfDrafting, isCopyOf, repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';

/**
 * Leaves up to `computeMaxPods` pods of a class unplaced and keeps their room free for other pods. Returns
 * undefined if a node can be found for them, if other pods have a lower priority, or if topology
 * rules count them.
 */
export function withLeftPods(
  packing: Packing,
  { cls }: DisplacedPods,
  podGroups: readonly PodGroup[],
  maxPods: number,
): Packing | undefined {
  const lowest = Math.min(...podGroups.map((podGroup) => podGroup.cls.spec.priority));
  if (cls.spec.priority > lowest) return undefined;
  for (const podGroup of podGroups) {
    if (podGroup.cls !== cls || podGroup.topology.countedBy.length > 0) continue;
    if (canFindNode(packing, podGroup)) return undefined;
    const { newNodes, ...packingState } = copyOfDrafting(packing.drafting);
    const removed = clear(newNodes, podGroup, maxPods);
    if (removed > 0)
      return {
        ...repriced(packing, { ...packingState, newNodes }),
        ...addLeftPods(packing, podGroup, removed),
      };
  }
  return undefined;
}

function canFindNode({ drafting: packingState }: Packing, podGroup: PodGroup): boolean {
  const single = { ...podGroup, count: 1 };
  packByPrice(copyOfDrafting(packingState), [single]);
  return single.count === 0;
}

function addLeftPods(
  { left, leftPods }: Packing,
  podGroup: PodGroup,
  pods: number,
): Pick<Packing, 'left' | 'leftPods'> {
  const existing = [...left.keys()].find((one) => isCopyOf(one, podGroup)) ?? podGroup;
  return {
    left: new Map(left).set(existing, (left.get(existing) ?? 0) + pods),
    leftPods: leftPods + pods,
  };
}
