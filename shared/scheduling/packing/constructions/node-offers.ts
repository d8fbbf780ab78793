import { findMaxPodsPerHost } from '../../assignment/fair-price.ts';
import type { PoolOption, PodGroup } from '../../assignment/pod-groups.ts';
import {
  type Bitset,
  forEachBit,
  hasBit,
  intersection,
  union,
} from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import { countPodsOnEmptyNode } from '../../devices/device-room.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { commonPlaces } from '../pricing/common-places.ts';

/** A unit with one of its pools and what a pod of it is worth. */
export interface Demand {
  readonly unit: PodGroup;
  readonly option: PoolOption;
  /** In USD per hour. */
  readonly fairUsd: number;
  readonly most: number;
}

/** A node that could be opened: a type of a pool, at the best price of the places in question. */
export interface NodeOffer {
  readonly template: NodeClaimTemplate;
  readonly type: number;
  readonly overhead: Vector;
  readonly hourlyUsd: number;
  /** Demands that may use it, dearest pods first. */
  readonly demands: readonly Demand[];
  /** By column, less than this is of no use to any of them. */
  readonly least: Vector;
}

/** Every node that the demands could use, each with those that can use it. */
export function nodeOffers(demands: readonly Demand[], problem: Problem): NodeOffer[] {
  const offers: NodeOffer[] = [];
  for (const [template, members] of Map.groupBy(demands, ({ option }) => option.template)) {
    const dearestFirst = members.toSorted((a, b) => b.fairUsd - a.fairUsd);
    const places = commonPlaces(dearestFirst, ({ option }) => option.where, problem.offerings);
    for (const { members: eligible, where } of places) {
      const least = leastRequest(eligible, problem);
      const offered = intersection(anyTypeOf(eligible, problem), problem.offerings.offered(where));
      for (const { types, overhead } of template.daemons) {
        forEachBit(intersection(types, offered), (type) => {
          const usable = eligible.filter(({ option }) => hasBit(option.types, type));
          const hourlyUsd = problem.offerings.cheapestUsd(type, where);
          offers.push({ template, type, overhead, hourlyUsd, demands: usable, least });
        });
      }
    }
  }
  return offers;
}

const anyTypeOf = (demands: readonly Demand[], { typeIndex }: Problem): Bitset =>
  demands.reduce((all, { option }) => union(all, option.types), typeIndex.none);

/** The price of the cheapest node that holds one pod of the unit, in USD per hour. */
export function cheapestNodeUsd({ options }: PodGroup, { offerings }: Problem): number {
  let cheapest = Infinity;
  for (const { types, where } of options) {
    forEachBit(types, (type) => {
      cheapest = Math.min(cheapest, offerings.cheapestUsd(type, where));
    });
  }
  return cheapest;
}

export const demandOf = (unit: PodGroup, option: PoolOption, fairUsd: number): Demand => ({
  unit,
  option,
  fairUsd,
  most: findMaxPodsPerHost(unit),
});

function leastRequest(demands: readonly Demand[], { columns }: Problem): Vector {
  const least = new Float64Array(columns.names.length).fill(Infinity);
  for (const { unit } of demands) {
    for (let column = 0; column < least.length; column++) {
      least[column] = Math.min(at(least, column), at(unit.request, column));
    }
  }
  return least;
}

function isUsedUp(room: Vector, least: Vector): boolean {
  for (let column = 0; column < least.length; column++) {
    if (at(room, column) < at(least, column)) return true;
  }
  return false;
}

/**
 * Fills the node with what is left of the demands, dearest pods first.
 *
 * @param room - scratch space, one number per resource column
 * @returns the worth of its pods over its price: above 1 when pods of different shape share it well
 */
export function fillOffer(
  { type, overhead, hourlyUsd, demands, least }: NodeOffer,
  problem: Problem,
  room: Vector,
  onFill?: (demand: Demand, pods: number) => void,
): number {
  const allocatable = problem.typeIndex.allocatable[type];
  if (!allocatable) return 0;
  for (let column = 0; column < room.length; column++) {
    room[column] = at(allocatable, column) - at(overhead, column);
  }
  let value = 0;
  for (const demand of demands) {
    const { unit, most, fairUsd } = demand;
    if (unit.count === 0) continue;
    const withDevices = countPodsOnEmptyNode(unit.cls.spec, demand.option, type, problem);
    let pods = Math.min(unit.count, most, withDevices);
    for (const column of unit.requestedColumns) {
      if (pods <= 0) break;
      pods = Math.min(pods, Math.floor(at(room, column) / at(unit.request, column)));
    }
    if (pods <= 0) continue;
    for (const column of unit.requestedColumns) {
      room[column] = at(room, column) - at(unit.request, column) * pods;
    }
    value += pods * fairUsd;
    onFill?.(demand, pods);
    if (isUsedUp(room, least)) break;
  }
  return value / (hourlyUsd + problem.perNodeUsd);
}
