import type { PodGroup } from '../../assignment/pod-groups.ts';
import { isSamePodGroup } from '../../assignment/pod-groups.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { convertToSpareRoom } from '../../packing/new-nodes/new-node.ts';
import { copyPackingState } from '../../packing/new-nodes/packing-state.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPackingState } from '../../packing/packing.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';

/**
 * Leaves up to `maxPods` pods of a class unplaced and keeps their room free for other pods. Returns
 * undefined if a node can be found for them, if other pods have a lower priority, or if a spread or
 * an affinity counts them.
 */
export function withUnplacedPods(
  packing: Packing,
  { cls }: DisplacedPods,
  podGroups: readonly PodGroup[],
  maxPods: number,
): Packing | undefined {
  const lowest = Math.min(...podGroups.map((podGroup) => podGroup.cls.spec.priority));
  if (cls.spec.priority > lowest) return undefined;
  for (const podGroup of podGroups) {
    if (podGroup.cls !== cls || !mayBeMissing(podGroup)) continue;
    if (canFindNode(packing, podGroup)) return undefined;
    const { newNodes, ...packingState } = copyPackingState(packing.packingState);
    const removed = convertToSpareRoom(newNodes, podGroup, maxPods);
    if (removed > 0)
      return {
        ...withPackingState(packing, { ...packingState, newNodes }),
        ...addUnplacedPods(packing, podGroup, removed),
      };
  }
  return undefined;
}

/** Without some pods a spread may be violated, or an affinity lack its pod; anti-affinity holds. */
const mayBeMissing = ({ topology }: PodGroup): boolean =>
  topology.countedBy.every(({ kind }) => kind === 'anti-affinity');

function canFindNode({ packingState }: Packing, podGroup: PodGroup): boolean {
  const single = { ...podGroup, count: 1 };
  packByPrice(copyPackingState(packingState), [single]);
  return single.count === 0;
}

function addUnplacedPods(
  { unplaced, unplacedPods }: Packing,
  podGroup: PodGroup,
  pods: number,
): Pick<Packing, 'unplaced' | 'unplacedPods'> {
  const existing = [...unplaced.keys()].find((one) => isSamePodGroup(one, podGroup)) ?? podGroup;
  return {
    unplaced: new Map(unplaced).set(existing, (unplaced.get(existing) ?? 0) + pods),
    unplacedPods: unplacedPods + pods,
  };
}
