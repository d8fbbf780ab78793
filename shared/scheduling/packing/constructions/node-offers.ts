import { findMaxPodsPerHost } from '../../assignment/fair-price.ts';
import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import { type Bitset, forEachBit, hasBit, intersection, union } from '../../data-structures/bitset.ts';
import { addTimes, at, countFits, hasRoom, type Vector } from '../../data-structures/resource-vectors.ts';
import { countPodsOnEmptyNode } from '../../devices/device-room.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { groupByScope } from '../pricing/common-scopes.ts';
import { groupByEligibility } from '../pricing/eligibility-groups.ts';
import { listOfferGroups, type PricedNodeType } from '../pricing/offer-groups.ts';

/** A pod group with one of its pools and the value of one of its pods. */
export interface PricedPodGroup {
  readonly podGroup: PodGroup;
  readonly option: PoolOption;
  /** In USD per hour. */
  readonly fairUsd: number;
  readonly maxPods: number;
}

/**
 * A node that could be opened: an instance type of a pool at its best price in the zones and
 * capacity types.
 */
export interface NodeOffer {
  readonly template: NodeClaimTemplate;
  readonly type: number;
  /** Room for pods beside the DaemonSets. */
  readonly room: Vector;
  /** Price per hour, with the cost of a node besides its instance. */
  readonly usd: number;
  /** Pod groups that may use the node, most expensive pods first. */
  readonly podGroups: readonly PricedPodGroup[];
  /** By column, the smallest request of these pods: less room than that is of no use. */
  readonly minRequest: Vector;
}

/**
 * Lists the nodes that the pod groups could use, each with its groups. Types for which another one
 * is as good in every respect are left out.
 */
export function listNodeOffers(podGroups: readonly PricedPodGroup[], problem: Problem): NodeOffer[] {
  // Devices and reservations are not resources, so types with them cannot be compared.
  if (problem.reservations || podGroups.some(claimsDevices)) return listAllOffers(podGroups, problem);
  const eligibilityGroups = groupByEligibility(podGroups, ({ option }) => [option], problem);
  const offerGroups = listOfferGroups(eligibilityGroups, problem, problem.nodeCosts);
  return offerGroups.flatMap(({ template, eligibilityGroups: positions, offers }) => {
    const eligible = positions
      .flatMap((position) => eligibilityGroups[position]?.members ?? [])
      .toSorted((a, b) => b.fairUsd - a.fairUsd);
    const minRequest = computeMinRequest(eligible, problem);
    const useful = withoutOversized(offers, eligible, problem);
    problem.work.spend(eligible.length + useful.length);
    return useful.map(({ type, room, usd }) => ({
      ...{ type, room, usd },
      ...{ template, podGroups: eligible, minRequest },
    }));
  });
}

/**
 * Removes the nodes that cost more than one with room for all pods: no fill of them is worth more. A few
 * displaced pods need a few small nodes, of hundreds that are offered.
 *
 * @param offers - cheapest first
 */
function withoutOversized(
  offers: readonly PricedNodeType[],
  eligible: readonly PricedPodGroup[],
  { columns }: Problem,
): readonly PricedNodeType[] {
  const total = new Float64Array(columns.names.length);
  for (const { podGroup, maxPods } of eligible)
    addTimes(total, podGroup.request, Math.min(podGroup.count, maxPods) * ROUNDING);
  const first = offers.findIndex(({ room }) => countFits(total, room) > 0);
  return first < 0 ? offers : offers.slice(0, first + 1);
}

/** Filling a node subtracts pod by pod, which accumulates rounding errors. */
const ROUNDING = 1 + 1e-9;

const claimsDevices = ({ podGroup }: PricedPodGroup): boolean => podGroup.cls.spec.resolved?.devices !== undefined;

function listAllOffers(podGroups: readonly PricedPodGroup[], problem: Problem): NodeOffer[] {
  const offers: NodeOffer[] = [];
  for (const [template, members] of Map.groupBy(podGroups, ({ option }) => option.template)) {
    const perNodeUsd = problem.nodeCosts(template.pool);
    const mostExpensiveFirst = members.toSorted((a, b) => b.fairUsd - a.fairUsd);
    const scopes = groupByScope(mostExpensiveFirst, ({ option }) => option.where, problem.offerings);
    for (const { members: eligible, where } of scopes) {
      const minRequest = computeMinRequest(eligible, problem);
      const offered = intersection(unionOfTypes(eligible, problem), problem.offerings.offered(where));
      for (const { types, overhead } of template.daemons) {
        forEachBit(intersection(types, offered), (type) => {
          problem.work.spend(eligible.length);
          const usable = eligible.filter(({ option }) => hasBit(option.types, type));
          const usd = problem.offerings.cheapestUsd(type, where) + perNodeUsd;
          const room = computeRoom(type, overhead, problem);
          offers.push({ template, type, room, usd, podGroups: usable, minRequest });
        });
      }
    }
  }
  return offers;
}

const computeRoom = (type: number, overhead: Vector, { typeIndex }: Problem): Vector =>
  overhead.map((taken, column) => {
    const allocatable = typeIndex.allocatable[type];
    return Math.max(0, (allocatable ? at(allocatable, column) : 0) - taken);
  });

const unionOfTypes = (podGroups: readonly PricedPodGroup[], { typeIndex }: Problem): Bitset =>
  podGroups.reduce((all, { option }) => union(all, option.types), typeIndex.none);

/** Computes the price of the cheapest node that holds a pod of the group, in USD per hour. */
export function computeCheapestNodeUsd({ options }: PodGroup, { offerings }: Problem): number {
  let cheapest = Infinity;
  for (const { types, where } of options) {
    forEachBit(types, (type) => {
      cheapest = Math.min(cheapest, offerings.cheapestUsd(type, where));
    });
  }
  return cheapest;
}

export const createPricedPodGroup = (podGroup: PodGroup, option: PoolOption, fairUsd: number): PricedPodGroup => ({
  podGroup,
  option,
  fairUsd,
  maxPods: findMaxPodsPerHost(podGroup),
});

function computeMinRequest(podGroups: readonly PricedPodGroup[], { columns }: Problem): Vector {
  const minRequest = new Float64Array(columns.names.length).fill(Infinity);
  for (const { podGroup } of podGroups) {
    for (let column = 0; column < minRequest.length; column++) {
      minRequest[column] = Math.min(at(minRequest, column), at(podGroup.request, column));
    }
  }
  return minRequest;
}

function isUsedUp(room: Vector, minRequest: Vector): boolean {
  for (let column = 0; column < minRequest.length; column++) {
    if (at(room, column) < at(minRequest, column)) return true;
  }
  return false;
}

/** Counts the remaining pods of the group that fit. Most groups do not fit at all. */
function countPodsThatFit(
  { podGroup, option, maxPods }: PricedPodGroup,
  type: number,
  free: Vector,
  problem: Problem,
): number {
  const { request, requestedColumns, cls } = podGroup;
  if (!hasRoom(free, request, requestedColumns)) return 0;
  let pods = Math.min(podGroup.count, maxPods);
  if (cls.spec.resolved?.devices) {
    pods = Math.min(pods, countPodsOnEmptyNode(cls.spec, option, type, problem));
  }
  if (pods <= 1) return pods;
  for (const column of requestedColumns) {
    pods = Math.min(pods, Math.floor(at(free, column) / at(request, column)));
  }
  return pods;
}

/**
 * Fills the node with the remaining pods, most expensive pods first.
 *
 * @param free - scratch space, one number per resource column
 * @returns the value of the pods over the price of the node: above 1 if pods of different shape
 *   share it well
 */
export function fillOffer(
  { type, room, usd, podGroups, minRequest }: NodeOffer,
  problem: Problem,
  free: Vector,
  onFill?: (pricedGroup: PricedPodGroup, pods: number) => void,
): number {
  problem.work.spend(podGroups.length);
  free.set(room);
  let value = 0;
  for (const pricedGroup of podGroups) {
    const { podGroup, fairUsd } = pricedGroup;
    if (podGroup.count === 0) continue;
    const pods = countPodsThatFit(pricedGroup, type, free, problem);
    if (pods <= 0) continue;
    for (const column of podGroup.requestedColumns) {
      free[column] = at(free, column) - at(podGroup.request, column) * pods;
    }
    value += pods * fairUsd;
    onFill?.(pricedGroup, pods);
    if (isUsedUp(free, minRequest)) break;
  }
  return value / usd;
}
