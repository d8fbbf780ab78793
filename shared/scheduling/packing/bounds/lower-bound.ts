import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { addTimes, at, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
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
import { findMostExpensiveNodeUsd } from './dearest-node.ts';
import { listPaidRooms } from './paid-room.ts';
import { type EqualPods, groupByKind, type PodKind } from './pod-kinds.ts';

/** More than these are told apart only roughly: the bound is a little lower then. */
const MAX_GROUPS = 64;

/**
 * What new nodes for these pods cost at the very least, in USD per hour: no set of nodes that the
 * pools allow can do it for less, whichever pods go on the room that is there already.
 *
 * It is the optimum of a linear programme, in which nodes and pods can be divided: by its duality,
 * for any prices of the resources, by crowd, at which no node on offer is worth more than it costs,
 * what is asked for at these prices, less what the free room is worth, is a bound. So it holds
 * however good the prices are; `computeShadowPrices` finds the best. Spread, affinity, limits, weights of
 * pools and countMinValues would raise it: leaving them out keeps it a bound.
 *
 * @returns the bound for nodes that cost so much beside their instance
 */
export function createLowerBound(
  problem: Problem,
  podSets: readonly EqualPods[],
): (perNodeUsd: number) => number {
  const bySpec = Map.groupBy(podSets, ({ spec }) => spec);
  const kinds = groupByKind(bySpec.keys(), problem);
  const eligibilityGroups = groupByEligibility(
    kinds,
    ({ accesses }) => accesses,
    problem,
    MAX_GROUPS,
  );
  const rules = listKeepApartRules(podSets);
  const demand = sumDemand(eligibilityGroups, bySpec, rules, problem);
  const free = listFreeRooms(eligibilityGroups, rules.length, problem);
  const mostExpensiveUsd = findMostExpensiveNodeUsd(problem, bySpec.keys());
  return (perNodeUsd) => {
    const offerGroups = listOfferGroups(eligibilityGroups, problem, perNodeUsd);
    const prices = computeShadowPrices(demand, offerGroups, free);
    const oneNodeUsd = mostExpensiveUsd === undefined ? 0 : mostExpensiveUsd + perNodeUsd;
    return Math.max(0, computeBound(prices, demand, offerGroups, free), oneNodeUsd);
  };
}

/** The bound that any prices give: each crowd's are lowered until no node is worth more than it costs. */
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
    (sum, total, eligibilityGroup) =>
      sum + computeValue(total, fairPrices[eligibilityGroup] ?? total),
    0,
  );
  return free.reduce(
    (sum, { eligibilityGroups, room }) =>
      sum - computeValue(findHighestPrices(eligibilityGroups, fairPrices).usd, room),
    demandUsd,
  );
}

/** A rule that lets no two of its pods share a node, and who comes under it. */
interface KeepApartRule {
  readonly group: TopologyGroup;
  readonly owners: readonly EqualPods[];
}

/** Each of them is a row of the programme: those of few pods add little. */
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

const countPods = (some: readonly EqualPods[]): number =>
  some.reduce((sum, { pods }) => sum + pods, 0);

function sumDemand(
  eligibilityGroups: readonly EligibilityGroupOf<PodKind>[],
  podSets: ReadonlyMap<PodSpec, readonly EqualPods[]>,
  rules: readonly KeepApartRule[],
  { columns }: Problem,
): TotalDemand {
  const width = columns.names.length;
  const totals = eligibilityGroups.map(({ members }) => {
    const total = new Float64Array(width + rules.length);
    for (const one of members
      .flatMap(({ specs }) => specs)
      .flatMap((spec) => podSets.get(spec) ?? [])) {
      addTimes(total, toVector(columns, one.spec.requests), one.pods);
      rules.forEach(({ owners }, rule) => {
        if (owners.includes(one)) total[width + rule] = at(total, width + rule) + one.pods;
      });
    }
    return total;
  });
  return { totals, slots: new Float64Array(rules.length).fill(1) };
}

/** Free room, that for the same crowds in one. */
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
    for (let slot = 0; slot < slots; slot++)
      entry.room[width + slot] = at(entry.room, width + slot) + nodes;
    rooms.set(key, entry);
  }
  return [...rooms.values()];
}
