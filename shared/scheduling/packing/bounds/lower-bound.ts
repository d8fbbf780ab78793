import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { addTimes, at, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import type { NodeCosts } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import type { TopologyGroup } from '../../topology/topology.ts';
import { type EligibilityGroupOf, groupByEligibility } from '../pricing/eligibility-groups.ts';
import { listOfferGroups, type OfferGroup } from '../pricing/offer-groups.ts';
import {
  computeShadowPrices,
  computeSlotValue,
  computeValue,
  type FreeRoom,
  findHighestPrices,
  type ShadowPrices,
  type TotalDemand,
} from '../pricing/shadow-prices.ts';
import { findMostExpensiveNodeUsd } from './most-expensive-node.ts';
import { listPaidRooms } from './paid-room.ts';
import { type EqualPods, groupByKind, type PodKind } from './pod-kinds.ts';

/** More eligibility groups are merged, which lowers the bound a little. */
const MAX_GROUPS = 64;

/**
 * Creates a lower bound of the price of new nodes for these pods, in USD per hour: no set of nodes
 * that the pools allow can cost less, whichever pods use the room of existing nodes.
 *
 * The bound is the optimum of a linear programme in which nodes and pods can be divided. By
 * duality, any shadow prices of the resources (by eligibility group) at which no offered node is
 * worth more than it costs give a bound: the demand at these prices minus the value of the free
 * room. So the bound holds for any prices; `computeShadowPrices` finds the best ones. Spread,
 * affinity, limits, pool weights and minValues would raise it; without them it stays a bound.
 *
 * @returns the bound for a given cost of a node besides its instance
 */
export function createLowerBound(problem: Problem, podSets: readonly EqualPods[]): (nodeCosts: NodeCosts) => number {
  const bySpec = Map.groupBy(podSets, ({ spec }) => spec);
  const kinds = groupByKind(bySpec.keys(), problem);
  const eligibilityGroups = groupByEligibility(kinds, ({ accesses }) => accesses, problem, MAX_GROUPS);
  const rules = listKeepApartRules(podSets);
  const demand = sumDemand(eligibilityGroups, bySpec, rules, problem);
  const free = listFreeRooms(eligibilityGroups, rules.length, problem);
  return (nodeCosts) => {
    const offerGroups = listOfferGroups(eligibilityGroups, problem, nodeCosts);
    const prices = computeShadowPrices(demand, offerGroups, free, problem.work);
    const oneNodeUsd = findMostExpensiveNodeUsd(problem, bySpec.keys(), nodeCosts);
    return Math.max(0, computeBound(prices, demand, offerGroups, free), oneNodeUsd);
  };
}

/**
 * Computes the bound for any prices: the prices of each group are lowered until no node is worth
 * more than it costs.
 */
function computeBound(
  prices: ShadowPrices,
  { totals, slots }: TotalDemand,
  offerGroups: readonly OfferGroup[],
  free: readonly FreeRoom[],
): number {
  const factors = prices.map(() => 1);
  for (const { eligibilityGroups, offers } of offerGroups) {
    const { usd } = findHighestPrices(eligibilityGroups, prices);
    const fixed = computeSlotValue(usd, slots);
    let factor = 1;
    for (const offer of offers) {
      const value = computeValue(usd, offer.room) + fixed;
      if (value > 0) factor = Math.min(factor, offer.usd / value);
    }
    for (const eligibilityGroup of eligibilityGroups)
      factors[eligibilityGroup] = Math.min(factors[eligibilityGroup] ?? 1, factor);
  }
  const fairPrices = prices.map((price, eligibilityGroup) =>
    price.map((usd) => usd * (factors[eligibilityGroup] ?? 1)),
  );
  const demandUsd = totals.reduce(
    (sum, total, eligibilityGroup) => sum + computeValue(total, fairPrices[eligibilityGroup] ?? total),
    0,
  );
  return free.reduce(
    (sum, { eligibilityGroups, room }) =>
      sum - computeValue(findHighestPrices(eligibilityGroups, fairPrices).usd, room),
    demandUsd,
  );
}

/** A rule that allows one pod per node, and the pods that carry it. */
interface KeepApartRule {
  readonly group: TopologyGroup;
  readonly owners: readonly EqualPods[];
}

/** Each rule is a row of the programme; rules with few pods add little. */
const MAX_RULES = 8;

function listKeepApartRules(podSets: readonly EqualPods[]): KeepApartRule[] {
  const owners = new Map<TopologyGroup, EqualPods[]>();
  for (const one of podSets) {
    for (const { group, selectsSelf } of one.topology?.owned ?? []) {
      const isApart = group.kind === 'anti-affinity' && group.key === HOSTNAME_LABEL;
      if (!isApart || !selectsSelf || group.isSoft) continue;
      owners.set(group, [...(owners.get(group) ?? []), one]);
    }
  }
  return [...owners]
    .map(([group, ones]) => ({ group, owners: ones }))
    .toSorted((a, b) => countPods(b.owners) - countPods(a.owners))
    .slice(0, MAX_RULES);
}

const countPods = (some: readonly EqualPods[]): number => some.reduce((sum, { pods }) => sum + pods, 0);

function sumDemand(
  eligibilityGroups: readonly EligibilityGroupOf<PodKind>[],
  podSets: ReadonlyMap<PodSpec, readonly EqualPods[]>,
  rules: readonly KeepApartRule[],
  { columns }: Problem,
): TotalDemand {
  const width = columns.names.length;
  const totals = eligibilityGroups.map(({ members }) => {
    const total = new Float64Array(width + rules.length);
    for (const one of members.flatMap(({ specs }) => specs).flatMap((spec) => podSets.get(spec) ?? [])) {
      addTimes(total, toVector(columns, one.spec.requests), one.pods);
      rules.forEach(({ owners }, rule) => {
        if (owners.includes(one)) total[width + rule] = at(total, width + rule) + one.pods;
      });
    }
    return total;
  });
  return { totals, slots: new Float64Array(rules.length).fill(1) };
}

/** Sums the free room that the same eligibility groups may use. */
function listFreeRooms(
  eligibilityGroups: readonly EligibilityGroupOf<PodKind>[],
  slots: number,
  problem: Problem,
): FreeRoom[] {
  const rooms = new Map<string, { eligibilityGroups: readonly number[]; room: Vector }>();
  const width = problem.columns.names.length;
  for (const { room, nodes, isFor } of listPaidRooms(problem)) {
    const admitted = [...eligibilityGroups.keys()].filter((eligibilityGroup) =>
      eligibilityGroups[eligibilityGroup]?.members.some(isFor),
    );
    if (admitted.length === 0) continue;
    const key = admitted.join();
    const entry = rooms.get(key) ?? {
      eligibilityGroups: admitted,
      room: new Float64Array(width + slots),
    };
    addTimes(entry.room, room, 1);
    for (let slot = 0; slot < slots; slot++) entry.room[width + slot] = at(entry.room, width + slot) + nodes;
    rooms.set(key, entry);
  }
  return [...rooms.values()];
}
