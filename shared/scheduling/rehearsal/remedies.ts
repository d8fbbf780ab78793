import type { Labels } from '../../model/labels.ts';
import { settleLimits } from '../limits/settle-limits.ts';
import { packByPrice } from '../packing/best-price.ts';
import { cheapestType, type Draft, type Drafting, discardDraft } from '../packing/drafts.ts';
import { grow } from '../packing/growth.ts';
import { commit, joining, roomWithMinValues } from '../packing/joining.ts';
import type { Packing } from '../packing/packing.ts';
import { clear, copyOfDrafting, isTooLight, repriced } from '../packing/spare-room.ts';
import { typesHolding, type Unit } from '../packing/units.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
import { intersection, isEmptyBitset } from '../types/bitset.ts';
import { sum } from '../vectors.ts';
import type { Displaced } from './rehearsal.ts';
import type { Theatre, Trial } from './trials.ts';

/** Room is made for a part of the displaced, or for all: often a part is enough for the others too. */
const PARTS = [1 / 3, 1];

/** Packings with more room, or with fewer nodes to be spread over, than the one that was tried. */
export function* remedies(
  theatre: Theatre,
  trial: Trial,
  units: readonly Unit[],
): Generator<Packing> {
  for (const order of extremesOf(trial)) {
    const own = withNodesFor(trial, order, units);
    if (own) yield own;
  }
  for (const part of PARTS) {
    const grown = withLargerTypes(trial, part, theatre);
    if (grown) yield grown;
  }
  yield* withFewerNodes(trial, theatre);
}

/** The order that displaces most, and the one that displaces fewest. */
function extremesOf({ displaced }: Trial): (readonly Displaced[])[] {
  const byPods = displaced
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => podsOf(b) - podsOf(a));
  const ends = [byPods[0], byPods.at(-1)].filter((one) => one !== undefined);
  return ends.filter((one, index) => index === 0 || podsOf(one) < podsOf(ends[0] ?? []));
}

const podsOf = (all: readonly Displaced[]): number =>
  all.reduce((total, { pods }) => total + pods, 0);

/** Nodes of their own for displaced pods: where they were to go stays room for who displaced them. */
function withNodesFor(
  trial: Trial,
  displaced: readonly Displaced[],
  units: readonly Unit[],
): Packing | undefined {
  const drafting = copyOfDrafting(trial.packing.drafting);
  const before = drafting.drafts.length;
  const moving = new Map<Unit, number>();
  for (const one of displaced) {
    const unit = unitOf(one, trial, units);
    if (unit) moving.set(unit, (moving.get(unit) ?? 0) + one.pods);
  }
  const taken = [...moving].flatMap(([unit, pods]): Unit[] => {
    const count = clear(drafting.drafts, unit, pods);
    return count > 0 ? [{ ...unit, count }] : [];
  });
  if (taken.length === 0) return undefined;
  packByPrice(drafting, taken);
  if (taken.some(({ count }) => count > 0)) return undefined;
  if (lightOf(drafting) > lightOf(trial.packing.drafting)) return undefined;
  settleLimits({ ...drafting, drafts: drafting.drafts.slice(before) });
  return repriced(trial.packing, drafting);
}

/** How many nodes would be of a pool that none of their pods needs. */
const lightOf = ({ drafts }: Drafting): number => drafts.filter(isTooLight).length;

/** Of the class's units, one that may go where there is a host for the displaced pods. */
function unitOf(
  { cls, hosts: numbers }: Displaced,
  { hosts }: Trial,
  units: readonly Unit[],
): Unit | undefined {
  const own = units.filter((unit) => unit.cls === cls);
  const places = numbers.map((number) => hosts[number]?.kind.labels ?? {});
  return own.find((unit) => places.some((labels) => isPlacedAt(unit, labels))) ?? own[0];
}

const isPlacedAt = ({ pins }: Unit, labels: Labels): boolean =>
  [...pins].every(([key, domain]) => labels[key] === domain);

function withLargerTypes(trial: Trial, part: number, { problem }: Theatre): Packing | undefined {
  const { drafting } = trial.packing;
  const copies = new Map(drafting.drafts.map((draft) => [draft, { ...draft }]));
  const made = mostInAnyOrder(trial).map(([cls, pods]) => {
    const suiting = draftsLackingRoom(trial, cls).flatMap((draft) => copies.get(draft) ?? []);
    return grow(cls, Math.ceil(pods * part), suiting, problem);
  });
  if (!made.includes(true)) return undefined;
  return repriced(trial.packing, { ...drafting, drafts: [...copies.values()] });
}

function mostInAnyOrder({ displaced }: Trial): (readonly [PodClass, number])[] {
  const most = new Map<PodClass, number>();
  for (const { cls, pods } of displaced.flat()) most.set(cls, Math.max(pods, most.get(cls) ?? 0));
  return [...most];
}

function draftsLackingRoom({ displaced, hosts }: Trial, wanted: PodClass): Draft[] {
  const numbers = new Set(
    displaced.flat().flatMap(({ cls, hosts }) => (cls === wanted ? hosts : [])),
  );
  return [...numbers].flatMap((number) => hosts[number]?.draft ?? []);
}

/** How many pairs of drafts are made one, those that it costs least first. */
const MOST_MERGES = 3;

/** Of how many drafts, the cheapest first: small nodes are what pods get lost on. */
const MOST_MERGED = 24;

function* withFewerNodes({ packing }: Trial, { problem }: Theatre): Generator<Packing> {
  const { drafts } = packing.drafting;
  const priced = drafts
    .map((draft, number) => ({ draft, number, usd: cheapestType(draft, problem).hourlyUsd }))
    .toSorted((a, b) => a.usd - b.usd)
    .slice(0, MOST_MERGED);
  const pairs = priced.flatMap((a, first) =>
    priced.slice(first + 1).flatMap((b) => {
      const usd = mergedUsd(a.draft, b.draft, problem) - a.usd - b.usd;
      return usd < Infinity ? [{ a, b, usd }] : [];
    }),
  );
  for (const { a, b } of pairs.toSorted((x, y) => x.usd - y.usd).slice(0, MOST_MERGES)) {
    const merged = merge(packing.drafting, a.number, b.number);
    if (merged) yield repriced(packing, merged);
  }
}

/** The cheapest node for what both hold, as far as types and places tell. */
function mergedUsd(a: Draft, b: Draft, problem: Problem): number {
  if (a.template !== b.template) return Infinity;
  const where = {
    zones: a.where.zones & b.where.zones,
    capacityTypes: a.where.capacityTypes & b.where.capacityTypes,
  };
  if (where.zones === 0 || where.capacityTypes === 0) return Infinity;
  const holding = typesHolding(a.template.daemons, sum(a.used, b.used), problem);
  const types = intersection(intersection(a.types, b.types), holding);
  return isEmptyBitset(types) ? Infinity : cheapestType({ types, where }, problem).hourlyUsd;
}

/** The first draft with the contents of both; undefined if the rules of their pods forbid it. */
function merge(from: Drafting, first: number, second: number): Drafting | undefined {
  const drafting = copyOfDrafting(from);
  const [a, b] = [drafting.drafts[first], drafting.drafts[second]];
  if (!a || !b) return undefined;
  discardDraft(drafting, b);
  for (const [unit, pods] of b.contents) {
    const joined = joining(drafting, a, unit, pods);
    if (!joined || joined.room < pods || roomWithMinValues(drafting, a, unit, joined) < pods)
      return undefined;
    commit(drafting, a, { ...unit, count: pods }, pods, joined);
  }
  return drafting;
}
