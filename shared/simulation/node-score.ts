import { HOSTNAME_LABEL, ZONE_LABEL } from '../model/labels.ts';
import type { Node } from '../model/node.ts';
import type { TopologySpreadConstraint } from '../model/pod.ts';
import { CPU, MEMORY } from '../model/resources.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import type { PodClass } from './pod-class.ts';
import type { SpreadWish } from './topology-spread.ts';
import { createSpreadWish } from './topology-spread.ts';

/** What kube-scheduler spreads by when a pod says nothing: hosts first, zones next. */
const DEFAULT_KEYS = [HOSTNAME_LABEL, ZONE_LABEL];

/** How kube-scheduler weighs the spread against the other scores, of 0 to 100 each. */
const SPREAD_WEIGHT = 2 * 100;

/** Counts for the spread that is wished for, not required. */
export function spreadWishes(podClass: PodClass, loads: NodeLoads): readonly SpreadWish[] {
  const { topologySpread } = podClass.spec;
  const wished =
    topologySpread.length > 0
      ? topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
      : DEFAULT_KEYS.map((key) => defaultConstraint(key, podClass));
  return wished.map((constraint) => createSpreadWish(podClass, constraint, loads));
}

const defaultConstraint = (key: string, { labels }: PodClass): TopologySpreadConstraint => ({
  key,
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
  selector: { matchLabels: labels, matchExpressions: [] },
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
});

/** The higher the better: the emptier node, the less crowded domain, the node that was wished for. */
export function scoreOf(
  load: NodeLoad,
  preference: (node: Node) => number,
  wishes: readonly SpreadWish[],
): number {
  let crowding = 0;
  for (const wish of wishes) crowding += wish.crowding(load);
  const evenness = wishes.length === 0 ? 0 : SPREAD_WEIGHT * (1 - crowding / wishes.length);
  return leastAllocated(load) + evenness + preference(load.node);
}

const leastAllocated = ({ node, used }: NodeLoad): number =>
  50 * (freeShare(node, used, CPU) + freeShare(node, used, MEMORY));

const freeShare = (node: Node, used: Readonly<Record<string, number>>, name: string): number => {
  const allocatable = node.allocatable[name] ?? 0;
  return allocatable === 0 ? 0 : 1 - (used[name] ?? 0) / allocatable;
};
