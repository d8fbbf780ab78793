import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import { addTimes } from '../../data-structures/resource-vectors.ts';
import { computeCost, type Packing } from '../packing.ts';
import type { NewNode, PackingState } from './packing-state.ts';

/** Constructions count down on copies. */
export const isSamePodGroup = (copy: PodGroup, podGroup: PodGroup): boolean =>
  copy.cls === podGroup.cls && copy.relaxationIndex === podGroup.relaxationIndex && copy.domainKey === podGroup.domainKey;

/** Whether others may have to be on the same node as its pods: then none of them is moved alone. */
export const hasHostAffinity = ({ topology: { owned, countedBy } }: PodGroup): boolean =>
  [...owned.map(({ group }) => group), ...countedBy].some(
    ({ kind, key }) => kind === 'affinity' && key === HOSTNAME_LABEL,
  );

/** Turns up to `most` pods of a unit into spare room; no draft is emptied. @returns how many */
export function turnIntoSpareRoom(newNodes: readonly NewNode[], target: PodGroup, maxPods: number): number {
  let cleared = 0;
  if (hasHostAffinity(target)) return cleared;
  for (const newNode of newNodes) {
    for (const [podGroup, count] of newNode.podCounts) {
      if (!isSamePodGroup(podGroup, target)) continue;
      const others = newNode.podCounts.size > 1 ? 0 : 1;
      const pods = Math.min(maxPods - cleared, count - others);
      if (pods <= 0) continue;
      removePods(newNode, podGroup, pods);
      addTimes(newNode.spareRoom, podGroup.request, pods);
      cleared += pods;
    }
  }
  return cleared;
}

/** Rules on the host go on counting them: nothing is allowed there that was not before. */
export function removePods(newNode: NewNode, podGroup: PodGroup, pods: number): void {
  const remaining = (newNode.podCounts.get(podGroup) ?? 0) - pods;
  if (remaining > 0) newNode.podCounts.set(podGroup, remaining);
  else newNode.podCounts.delete(podGroup);
  addTimes(newNode.used, podGroup.request, -pods);
}

/** The same drafts again, to be changed without changing these. */
export const copyPackingState = ({ problem, newNodes, allowances, placedAffinities }: PackingState): PackingState => ({
  problem,
  newNodes: newNodes.map(copyNewNode),
  allowances: new Map(
    [...allowances].map(([pool, { remaining, nodes }]) => [pool, { remaining: remaining.slice(), nodes }]),
  ),
  placedAffinities: new Set(placedAffinities),
});

const copyNewNode = (newNode: NewNode): NewNode => ({
  ...newNode,
  used: newNode.used.slice(),
  spareRoom: newNode.spareRoom.slice(),
  podCounts: new Map(newNode.podCounts),
  hostPorts: [...newNode.hostPorts],
  topologyCounts: new Map(newNode.topologyCounts),
  antiAffinityOwners: new Map(newNode.antiAffinityOwners),
  charged: newNode.charged.slice(),
});

/** The packing with drafts that were changed. */
export const withPackingState = (packing: Packing, state: PackingState): Packing => ({
  ...packing,
  packingState: state,
  ...computeCost(state),
});

/** Whether each of its pods could have been on a node of a heavier pool, limits aside. */
export const isTooLight = ({ template, podCounts }: NewNode): boolean =>
  [...podCounts.keys()].every(({ options }) =>
    options.some((option) => option.template.pool.weight > template.pool.weight),
  );
