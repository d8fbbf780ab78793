import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { intersection, nextBit } from '../data-structures/bitset.ts';
import { at, type Vector } from '../data-structures/resource-vectors.ts';
import { countPodsOnEmptyNode } from '../devices/device-room.ts';
import { oncePrepared } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import type { Option, Unit } from './pod-groups.ts';

const knownPrices = oncePrepared(() => new Map<string, number>());

/**
 * What one pod of the unit costs on the type that suits it best, in USD per hour: its largest share
 * of that type, times the price.
 */
export function fairPrice(unit: Unit, option: Option, problem: Problem): number {
  // A pod that takes a node's place for its like costs its share of the node, however small it is.
  const leastShare = 1 / mostPerHost(unit);
  // Which devices a pod wants is not in its shape.
  if (unit.cls.spec.settled?.devices) return workOut(unit, option, leastShare, problem);
  const known = knownPrices(problem);
  const asked = questionOf(unit, option, leastShare, problem);
  const usd = known.get(asked) ?? workOut(unit, option, leastShare, problem);
  known.set(asked, usd);
  return usd;
}

/** Classes are many, shapes of pods are few: what the price depends on, as text. */
const questionOf = (
  { request }: Unit,
  { types, where, template }: Option,
  leastShare: number,
  { perNodeUsd }: Problem,
): string =>
  `${template.pool.name} ${where.zones} ${where.capacityTypes} ${perNodeUsd} ${leastShare} ${request.join()} ${types.join()}`;

function workOut(unit: Unit, option: Option, leastShare: number, problem: Problem): number {
  const { types, where, template } = option;
  const prices = problem.offerings.pricesIn(where);
  let best = Infinity;
  for (const { types: group, overhead } of template.daemons) {
    const open = intersection(types, group);
    for (let type = nextBit(open, 0); type >= 0; type = nextBit(open, type + 1)) {
      const allocatable = problem.index.allocatable[type];
      if (!allocatable) continue;
      const ofDevices = 1 / countPodsOnEmptyNode(unit.cls.spec, option, type, problem);
      const ofRoom = largestShare(unit, allocatable, overhead);
      const share = Math.max(leastShare, ofDevices, ofRoom);
      const nodeUsd = at(prices, type) + problem.perNodeUsd;
      best = Math.min(best, nodeUsd * share);
    }
  }
  return best;
}

function largestShare({ request, asked }: Unit, allocatable: Vector, overhead: Vector): number {
  let share = 0;
  for (const column of asked) {
    const room = at(allocatable, column) - at(overhead, column);
    share = Math.max(share, at(request, column) / room);
  }
  return share;
}

/** How many pods of the unit an empty node takes under their own rules; Infinity without any. */
export function mostPerHost({ topology, cls }: Unit): number {
  let most = cls.spec.hostPorts.length > 0 ? 1 : Infinity;
  for (const { group, selectsSelf } of topology.owned) {
    if (group.key !== HOSTNAME_LABEL || !selectsSelf) continue;
    if (group.kind === 'spread') most = Math.min(most, group.maxSkew);
    if (group.kind === 'anti-affinity') most = Math.min(most, 1);
  }
  return most;
}
