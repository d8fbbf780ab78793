import type { PodGroup } from '../../assignment/pod-groups.ts';
import { takePods } from '../../assignment/pod-groups.ts';
import type { NewNode } from '../new-nodes/new-node.ts';
import type { PackingState } from '../new-nodes/packing-state.ts';
import { findFit, placePods } from '../new-nodes/place-pods.ts';
import type { Construction } from '../packing.ts';
import { compareBySize, openNodeWith } from './first-fit.ts';

/**
 * Karpenter's construction pod by pod, for pods whose domains are chosen: each pod goes onto the
 * node with the fewest pods that takes it, else onto a new node. It spreads pods much as
 * kube-scheduler will, and costs more for it. Its work grows with pods times nodes, so it is for
 * small batches.
 */
export const packEvenly: Construction = (state, podGroups) => {
  for (const sameSize of groupBySize(podGroups.toSorted(compareBySize))) packAlternately(state, sameSize);
};

/** Groups whose pods have equal requests but different domains take turns. */
const groupBySize = (podGroups: readonly PodGroup[]): (readonly PodGroup[])[] => [
  ...Map.groupBy(podGroups, ({ request }) => request.join()).values(),
];

function packAlternately(state: PackingState, podGroups: readonly PodGroup[]): void {
  const openNodes = new Map(podGroups.map((podGroup) => [podGroup, listNodesOpenTo(state, podGroup)]));
  for (let remaining = podGroups; remaining.length > 0; ) {
    remaining = remaining.filter((podGroup) => {
      const before = state.newNodes.length;
      const isPlaced = placeOnePod(state, podGroup, openNodes.get(podGroup) ?? []);
      for (const newNode of state.newNodes.slice(before)) {
        for (const newNodes of openNodes.values()) newNodes.push(newNode);
      }
      return isPlaced && podGroup.count > 0;
    });
  }
}

const listNodesOpenTo = (state: PackingState, podGroup: PodGroup): NewNode[] =>
  state.newNodes.filter((newNode) => findFit(state, newNode, podGroup, 1));

/**
 * @param openNodes - nodes that may take the pod; a node that refuses it is removed, because nodes
 *   only fill up
 */
function placeOnePod(state: PackingState, podGroup: PodGroup, openNodes: NewNode[]): boolean {
  openNodes.sort(compareByPods);
  for (let first = openNodes[0]; first; first = openNodes[0]) {
    if (placePods(state, first, podGroup, 1) > 0) return true;
    openNodes.shift();
  }
  const one = { ...podGroup, count: 1 };
  const isOpened = podGroup.options.some((option) => openNodeWith(state, one, option));
  if (isOpened) takePods(podGroup, 1);
  return isOpened;
}

const compareByPods = (a: NewNode, b: NewNode): number => countPodsOn(a) - countPodsOn(b);

const countPodsOn = ({ podCounts }: NewNode): number => podCounts.values().reduce((total, count) => total + count, 0);
