import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { intersection, nextBit } from '../data-structures/bitset.ts';
import { at, type Vector } from '../data-structures/resource-vectors.ts';
import { countPodsOnEmptyNode } from '../devices/device-room.ts';
import { memoizePerSnapshot, type Problem } from '../input/problem.ts';
import type { PodGroup, PoolOption } from './pod-groups.ts';

const cachedPrices = memoizePerSnapshot(() => new Map<string, number>());

/**
 * Computes the price of one pod of the group on its best instance type, in USD per hour: the pod's
 * largest share of the type's resources times the price of a node.
 */
export function computeFairPrice(podGroup: PodGroup, option: PoolOption, problem: Problem): number {
  // A pod that keeps other pods of its kind off the node pays its share of the whole node, however
  // small its requests are.
  const minShare = 1 / findMaxPodsPerHost(podGroup);
  // The cache key does not contain the devices that a pod claims.
  if (podGroup.cls.spec.resolved?.devices) return computePrice(podGroup, option, minShare, problem);
  const cached = cachedPrices(problem);
  const key = toCacheKey(podGroup, option, minShare, problem);
  return getOrCreate(cached, key, () => computePrice(podGroup, option, minShare, problem));
}

/** Many classes share the few combinations of inputs on which the price depends. */
const toCacheKey = (
  { request }: PodGroup,
  { types, where, template }: PoolOption,
  minShare: number,
  { nodeCosts }: Problem,
): string =>
  `${template.pool.name} ${where.zones} ${where.capacityTypes} ${nodeCosts(template.pool)} ${minShare} ${request.join()} ${types.join()}`;

function computePrice(podGroup: PodGroup, option: PoolOption, minShare: number, problem: Problem): number {
  const { types, where, template } = option;
  const prices = problem.offerings.pricesIn(where);
  const perNodeUsd = problem.nodeCosts(template.pool);
  let best = Infinity;
  for (const { types: group, overhead } of template.daemons) {
    const open = intersection(types, group);
    for (let type = nextBit(open, 0); type >= 0; type = nextBit(open, type + 1)) {
      const allocatable = problem.typeIndex.allocatable[type];
      if (!allocatable) continue;
      const nodeUsd = at(prices, type) + perNodeUsd;
      if (nodeUsd * minShare >= best) continue;
      const resourceShare = computeLargestShare(podGroup, allocatable, overhead);
      if (nodeUsd * resourceShare >= best) continue;
      const deviceShare = 1 / countPodsOnEmptyNode(podGroup.cls.spec, option, type, problem);
      const share = Math.max(minShare, deviceShare, resourceShare);
      best = Math.min(best, nodeUsd * share);
    }
  }
  return best;
}

function computeLargestShare({ request, requestedColumns }: PodGroup, allocatable: Vector, overhead: Vector): number {
  let share = 0;
  for (const column of requestedColumns) {
    const room = at(allocatable, column) - at(overhead, column);
    share = Math.max(share, at(request, column) / room);
  }
  return share;
}

/**
 * Returns how many pods of the group an empty node takes under their own rules on the hostname;
 * Infinity without such rules.
 */
export function findMaxPodsPerHost({ topology, cls }: PodGroup): number {
  let maxUsd = cls.spec.hostPorts.length > 0 ? 1 : Infinity;
  for (const { group, selectsSelf } of topology.owned) {
    if (group.key !== HOSTNAME_LABEL || !selectsSelf) continue;
    if (group.kind === 'spread') maxUsd = Math.min(maxUsd, group.maxSkew);
    if (group.kind === 'anti-affinity') maxUsd = Math.min(maxUsd, 1);
  }
  return maxUsd;
}
