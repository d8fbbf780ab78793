import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { addTimes, at, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import type { TopologyGroup } from '../../topology/topology.ts';
import { type CrowdOf, crowdsOf } from '../pricing/eligibility-groups.ts';
import { type Stall, stallsOf } from '../pricing/offer-groups.ts';
import {
  bestOf,
  type FreeRoom,
  type ResourcePrices,
  resourcePrices,
  type TotalDemand,
  worthOf,
  worthOfSlots,
} from '../pricing/shadow-prices.ts';
import { dearestNodeUsd } from './dearest-node.ts';
import { paidRooms } from './paid-room.ts';
import { type PodKind, podKinds, type Wanted } from './pod-kinds.ts';

/** More than these are told apart only roughly: the bound is a little lower then. */
const MOST_CROWDS = 64;

/**
 * What new nodes for these pods cost at the very least, in USD per hour: no set of nodes that the
 * pools allow can do it for less, whichever pods go on the room that is there already.
 *
 * It is the optimum of a linear programme, in which nodes and pods can be divided: by its duality,
 * for any prices of the resources, by crowd, at which no node on offer is worth more than it costs,
 * what is asked for at these prices, less what the free room is worth, is a bound. So it holds
 * however good the prices are; `resourcePrices` finds the best. Spread, affinity, limits, weights of
 * pools and minValues would raise it: leaving them out keeps it a bound.
 *
 * @returns the bound for nodes that cost so much beside their instance
 */
export function lowerBoundUsd(
  problem: Problem,
  wanted: readonly Wanted[],
): (perNodeUsd: number) => number {
  const bySpec = Map.groupBy(wanted, ({ spec }) => spec);
  const kinds = podKinds(bySpec.keys(), problem);
  const crowds = crowdsOf(kinds, ({ accesses }) => accesses, problem, MOST_CROWDS);
  const rules = rulesThatKeepApart(wanted);
  const demand = demandOf(crowds, bySpec, rules, problem);
  const free = freeRooms(crowds, rules.length, problem);
  const dearestUsd = dearestNodeUsd(problem, bySpec.keys());
  return (perNodeUsd) => {
    const stalls = stallsOf(crowds, problem, perNodeUsd);
    const prices = resourcePrices(demand, stalls, free);
    const oneNodeUsd = dearestUsd === undefined ? 0 : dearestUsd + perNodeUsd;
    return Math.max(0, boundAt(prices, demand, stalls, free), oneNodeUsd);
  };
}

/** The bound that any prices give: each crowd's are lowered until no node is worth more than it costs. */
function boundAt(
  prices: ResourcePrices,
  { totals, slots }: TotalDemand,
  stalls: readonly Stall[],
  free: readonly FreeRoom[],
): number {
  const factors = prices.map(() => 1);
  for (const { crowds, offers } of stalls) {
    const { usd } = bestOf(crowds, prices);
    const fixed = worthOfSlots(usd, slots);
    let factor = 1;
    for (const offer of offers) {
      const worth = worthOf(usd, offer.room) + fixed;
      if (worth > 0) factor = Math.min(factor, offer.usd / worth);
    }
    for (const crowd of crowds) factors[crowd] = Math.min(factors[crowd] ?? 1, factor);
  }
  const fair = prices.map((price, crowd) => price.map((usd) => usd * (factors[crowd] ?? 1)));
  const asked = totals.reduce((sum, total, crowd) => sum + worthOf(total, fair[crowd] ?? total), 0);
  return free.reduce(
    (sum, { crowds, room }) => sum - worthOf(bestOf(crowds, fair).usd, room),
    asked,
  );
}

/** A rule that lets no two of its pods share a node, and who comes under it. */
interface KeepsApart {
  readonly group: TopologyGroup;
  readonly owners: readonly Wanted[];
}

/** Each of them is a row of the programme: those of few pods add little. */
const MOST_RULES = 8;

function rulesThatKeepApart(wanted: readonly Wanted[]): KeepsApart[] {
  const owners = new Map<TopologyGroup, Wanted[]>();
  for (const one of wanted) {
    for (const { group, selectsSelf } of one.topology?.owned ?? []) {
      const isApart = group.kind === 'anti-affinity' && group.key === HOSTNAME_LABEL;
      if (!isApart || !selectsSelf || group.isSoft) continue;
      owners.set(group, [...(owners.get(group) ?? []), one]);
    }
  }
  return [...owners]
    .map(([group, ones]) => ({ group, owners: ones }))
    .toSorted((a, b) => podsOf(b.owners) - podsOf(a.owners))
    .slice(0, MOST_RULES);
}

const podsOf = (some: readonly Wanted[]): number => some.reduce((sum, { pods }) => sum + pods, 0);

function demandOf(
  crowds: readonly CrowdOf<PodKind>[],
  wanted: ReadonlyMap<PodSpec, readonly Wanted[]>,
  rules: readonly KeepsApart[],
  { columns }: Problem,
): TotalDemand {
  const width = columns.names.length;
  const totals = crowds.map(({ members }) => {
    const total = new Float64Array(width + rules.length);
    for (const one of members
      .flatMap(({ specs }) => specs)
      .flatMap((spec) => wanted.get(spec) ?? [])) {
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
function freeRooms(
  crowds: readonly CrowdOf<PodKind>[],
  slots: number,
  problem: Problem,
): FreeRoom[] {
  const rooms = new Map<string, { crowds: readonly number[]; room: Vector }>();
  const width = problem.columns.names.length;
  for (const { room, nodes, isFor } of paidRooms(problem)) {
    const admitted = [...crowds.keys()].filter((crowd) => crowds[crowd]?.members.some(isFor));
    if (admitted.length === 0) continue;
    const key = admitted.join();
    const known = rooms.get(key) ?? { crowds: admitted, room: new Float64Array(width + slots) };
    addTimes(known.room, room, 1);
    for (let slot = 0; slot < slots; slot++)
      known.room[width + slot] = at(known.room, width + slot) + nodes;
    rooms.set(key, known);
  }
  return [...rooms.values()];
}
