import { HOSTNAME_LABEL } from '../model/labels.ts';
import { type Bitset, forEachBit, hasBit, intersection } from './bitset.ts';
import {
  commit,
  type Drafting,
  discardDraft,
  joining,
  openDraft,
  roomWithMinValues,
} from './drafts.ts';
import type { Where } from './offering-index.ts';
import type { Problem } from './problem.ts';
import type { Template } from './templates.ts';
import type { Option, Unit } from './units.ts';
import { at, type Vector } from './vectors.ts';

/**
 * Opens, again and again, the node that gives most for its price: each type is filled with the
 * pods that are left, and what they would cost on their own best types is compared with what the
 * node costs. Pods of different shape that fill a node together are found this way.
 */
export function packByPrice(drafting: Drafting, units: readonly Unit[]): void {
  const given = new Map<Unit, number>();
  const fairUsd = fairPrices(drafting.problem);
  for (;;) {
    const live = units.flatMap((unit) => liveUnit(unit, given.get(unit) ?? 0, fairUsd));
    const pattern = bestPattern(live, drafting.problem);
    if (!pattern) return;
    if (applyPattern(drafting, pattern) > 0) continue;
    // The pool's limits are in the way: these pods turn to the next pool they may use.
    for (const { unit, option } of pattern.fill.keys()) {
      given.set(unit, unit.options.indexOf(option) + 1);
    }
  }
}

/** A unit that still has pods, with the pools of the heaviest weight that it has not given up. */
interface LiveUnit {
  readonly unit: Unit;
  readonly option: Option;
  /** What one pod costs on the type that suits it best, in USD per hour. */
  readonly fairUsd: number;
}

function liveUnit(
  unit: Unit,
  givenUp: number,
  fairPrice: (unit: Unit, option: Option) => number,
): LiveUnit[] {
  const options = unit.count > 0 ? unit.options.slice(givenUp) : [];
  const weight = options[0]?.template.pool.weight;
  const heaviest = options.filter(({ template }) => template.pool.weight === weight);
  const fair = heaviest.map((option) => ({
    unit,
    option,
    fairUsd: fairPrice(unit, option),
  }));
  const best = Math.min(...fair.map(({ fairUsd }) => fairUsd));
  return fair.map((live) => ({ ...live, fairUsd: best }));
}

/** Prices are the same in every round, so each is worked out once. */
function fairPrices(problem: Problem): (unit: Unit, option: Option) => number {
  const known = new Map<Option, number>();
  return (unit, option) => {
    const usd = known.get(option) ?? fairPrice(unit, option, problem);
    known.set(option, usd);
    return usd;
  };
}

function fairPrice(unit: Unit, { types, where, template }: Option, problem: Problem): number {
  // A pod that takes a node's place for its like costs its share of the node, however small it is.
  const leastShare = 1 / mostPerHost(unit);
  let best = Infinity;
  for (const { types: group, overhead } of template.daemons) {
    forEachBit(intersection(types, group), (type) => {
      const allocatable = problem.index.allocatable[type];
      if (!allocatable) return;
      const usd = problem.offerings.cheapestUsd(type, where);
      const share = largestShare(unit.request, allocatable, overhead);
      best = Math.min(best, usd * Math.max(share, leastShare));
    });
  }
  return best;
}

function largestShare(request: Vector, allocatable: Vector, overhead: Vector): number {
  let share = 0;
  for (let column = 0; column < request.length; column++) {
    const wanted = at(request, column);
    if (wanted > 0)
      share = Math.max(share, wanted / (at(allocatable, column) - at(overhead, column)));
  }
  return share;
}

interface Pattern {
  readonly template: Template;
  readonly fill: ReadonlyMap<LiveUnit, number>;
  readonly worth: number;
}

function bestPattern(live: readonly LiveUnit[], problem: Problem): Pattern | undefined {
  let best: Pattern | undefined;
  for (const [template, members] of Map.groupBy(live, ({ option }) => option.template)) {
    for (const { eligible, where } of placesOf(members, problem)) {
      const pattern = bestOnTemplate(template, eligible, where, problem);
      if (pattern && (!best || pattern.worth > best.worth * (1 + 1e-9))) best = pattern;
    }
  }
  return best;
}

interface Place {
  readonly eligible: readonly LiveUnit[];
  readonly where: Where;
}

/** Zones and capacity types in which the same units can run are one place: its cheapest counts. */
function placesOf(members: readonly LiveUnit[], problem: Problem): Place[] {
  const places = new Map<
    string,
    { eligible: LiveUnit[]; where: { zones: number; capacityTypes: number } }
  >();
  problem.offerings.zones.forEach((_, zone) => {
    for (const capacityTypes of [0b001, 0b010, 0b100]) {
      const where = { zones: 2 ** zone, capacityTypes };
      const eligible = members.filter(({ option }) => meets(option.where, where));
      if (eligible.length === 0) continue;
      const key = eligible.map((one) => members.indexOf(one)).join();
      const place = places.get(key) ?? { eligible, where: { zones: 0, capacityTypes: 0 } };
      // Zones × capacity types stay a product: eligibility depends on both through the same units.
      place.where = {
        zones: place.where.zones | where.zones,
        capacityTypes: place.where.capacityTypes | capacityTypes,
      };
      places.set(key, place);
    }
  });
  return [...places.values()];
}

const meets = (a: Where, b: Where): boolean =>
  (a.zones & b.zones) !== 0 && (a.capacityTypes & b.capacityTypes) !== 0;

function bestOnTemplate(
  template: Template,
  eligible: readonly LiveUnit[],
  where: Where,
  problem: Problem,
): Pattern | undefined {
  const fills = eligible
    .toSorted((a, b) => b.fairUsd - a.fairUsd)
    .map((live) => ({ live, most: Math.min(live.unit.count, mostPerHost(live.unit)) }));
  const offered = problem.offerings.offered(where);
  const room = new Float64Array(problem.columns.names.length);
  let best: { type: number; overhead: Vector; worth: number } | undefined;
  for (const { types, overhead } of template.daemons) {
    forEachBit(intersection(typesOf(eligible, types), offered), (type) => {
      const hourlyUsd = problem.offerings.cheapestUsd(type, where);
      emptyRoom(room, problem.index.allocatable[type], overhead);
      let value = 0;
      fillRoom(fills, type, room, ({ fairUsd }, pods) => {
        value += pods * fairUsd;
      });
      const worth = value / hourlyUsd;
      if (worth > (best?.worth ?? 0)) best = { type, overhead, worth };
    });
  }
  if (!best) return undefined;

  const { type, overhead, worth } = best;
  const fill = new Map<LiveUnit, number>();
  emptyRoom(room, problem.index.allocatable[type], overhead);
  fillRoom(fills, type, room, (live, pods) => fill.set(live, pods));
  return { template, fill, worth };
}

const typesOf = (eligible: readonly LiveUnit[], among: Bitset): Bitset => {
  const all = new Uint32Array(among.length);
  for (const { option } of eligible) {
    for (let word = 0; word < all.length; word++) {
      all[word] = (all[word] ?? 0) | ((option.types[word] ?? 0) & (among[word] ?? 0));
    }
  }
  return all;
};

function emptyRoom(room: Vector, allocatable: Vector | undefined, overhead: Vector): void {
  for (let column = 0; column < room.length; column++) {
    room[column] = (allocatable ? at(allocatable, column) : 0) - at(overhead, column);
  }
}

/** Takes pods one unit after the other while there is room, and uses the room up. */
function fillRoom(
  fills: readonly { readonly live: LiveUnit; readonly most: number }[],
  type: number,
  room: Vector,
  onFill: (live: LiveUnit, pods: number) => void,
): void {
  for (const { live, most } of fills) {
    const { unit, option } = live;
    let pods = most;
    for (const column of unit.asked) {
      pods = Math.min(pods, Math.floor(at(room, column) / at(unit.request, column)));
      if (pods <= 0) break;
    }
    if (pods <= 0 || !hasBit(option.types, type)) continue;
    for (const column of unit.asked) {
      room[column] = at(room, column) - at(unit.request, column) * pods;
    }
    onFill(live, pods);
  }
}

/** How many pods of the unit an empty node takes under its own rules. */
function mostPerHost({ topology, cls }: Unit): number {
  let most = cls.spec.hostPorts.length > 0 ? 1 : Infinity;
  for (const { group, selectsSelf } of topology.owned) {
    if (group.key !== HOSTNAME_LABEL || !selectsSelf) continue;
    if (group.kind === 'spread') most = Math.min(most, group.maxSkew);
    if (group.kind === 'anti-affinity') most = Math.min(most, 1);
  }
  return most;
}

/** Opens as many nodes of the pattern as its pods allow. @returns how many pods they hold */
function applyPattern(drafting: Drafting, { fill }: Pattern): number {
  const entries = [...fill];
  const repeat = Math.min(...entries.map(([{ unit }, pods]) => Math.floor(unit.count / pods)));
  let placed = 0;
  for (let node = 0; node < repeat; node++) {
    const onNode = openWith(drafting, entries);
    if (onNode === 0) break;
    placed += onNode;
  }
  return placed;
}

function openWith(drafting: Drafting, entries: readonly (readonly [LiveUnit, number])[]): number {
  const [first] = entries;
  const draft = first && openDraft(drafting, first[0].option);
  if (!draft) return 0;
  let placed = 0;
  for (const [{ unit }, pods] of entries) {
    const joined = joining(drafting, draft, unit, pods);
    if (!joined) continue;
    const room = roomWithMinValues(drafting, draft, unit, joined);
    if (room === 0) continue;
    commit(drafting, draft, unit, room, joined);
    placed += room;
  }
  if (placed === 0) discardDraft(drafting, draft);
  return placed;
}
