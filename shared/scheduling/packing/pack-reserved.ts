import { computeFairPrice, findMaxPodsPerHost } from '../assignment/fair-price.ts';
import type { PoolOption, PodGroup } from '../assignment/pod-groups.ts';
import {
  type Bitset,
  bitsOf,
  forEachBit,
  hasBit,
  intersection,
  isEmptyBitset,
  without,
} from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import type { Reservations } from '../input/reservations.ts';
import { findUnmetMinValues } from '../instance-types/min-values.ts';
import { putOn } from './new-nodes/joining.ts';
import {
  cheapestType,
  type Draft,
  type Drafting,
  discardDraft,
  openDraft,
} from './new-nodes/packing-state.ts';

/** What happens to pods whose reservations are all taken by the plan that is being made. */
export type ReservedMode =
  /** They wait for the next plan, which knows what became of this one. */
  | 'strict'
  /** They go where they can, as if there were none. */
  | 'fallback';

export interface ReservedPacking {
  /** What is left for other capacity; the same units, counted down. */
  readonly units: readonly PodGroup[];
  /** Pods that wait, by unit. */
  readonly deferred: ReadonlyMap<PodGroup, number>;
}

/**
 * Fills reserved capacity first: it is paid for already. Which pods get it is decided by what they
 * would cost elsewhere. Each draft takes one instance of one reservation, so that a plan of many
 * nodes uses as many as there are, and never one more.
 *
 * @param units - counted down; each must belong to this packing alone
 */
export function packReserved(
  drafting: Drafting,
  units: readonly PodGroup[],
  mode: ReservedMode,
): ReservedPacking {
  const { reservations } = drafting.problem;
  if (!reservations) return { units, deferred: new Map() };

  const free = new Map(reservations.free);
  const open = units.flatMap((unit) => reservedWays(unit, reservations, drafting.problem));
  const dead = new Set<string>();
  for (;;) {
    const best = bestNode(open, free, dead, drafting.problem);
    if (!best) break;
    if (openNode(drafting, best, open)) {
      const id = reservations.idOf(best.type);
      free.set(id, (free.get(id) ?? 0) - 1);
    } else {
      dead.add(keyOf(best));
    }
  }
  return split(units, open, free, mode, drafting.problem);
}

/** A unit at one pool of the heaviest weight that it may use, with its reserved types there. */
interface ReservedWay {
  readonly unit: PodGroup;
  readonly option: PoolOption;
  readonly types: Bitset;
  /** USD per hour that a pod costs elsewhere. */
  readonly elsewhereUsd: number;
}

/** Pods that run nowhere else come first. */
const NOWHERE_ELSE_USD = 1e6;

function reservedWays(
  unit: PodGroup,
  { types: all }: Reservations,
  problem: Problem,
): readonly ReservedWay[] {
  const weight = unit.options[0]?.template.pool.weight;
  return unit.options
    .filter(({ template }) => template.pool.weight === weight)
    .flatMap((option) => {
      const types = intersection(
        intersection(option.types, all),
        problem.offerings.offered(option.where),
      );
      if (isEmptyBitset(types)) return [];
      const others = { ...option, types: without(option.types, all) };
      const usd = computeFairPrice(unit, others, problem);
      return [{ unit, option, types, elsewhereUsd: Math.min(usd, NOWHERE_ELSE_USD) }];
    });
}

/** A node that could be opened. */
interface ReservedNode {
  readonly template: PoolOption['template'];
  readonly type: number;
}

const keyOf = ({ template, type }: ReservedNode): string => `${template.pool.name} ${type}`;

/** The node whose pods would cost most elsewhere; among equals the one that costs least. */
function bestNode(
  open: readonly ReservedWay[],
  free: ReadonlyMap<string, number>,
  dead: ReadonlySet<string>,
  problem: Problem,
): ReservedNode | undefined {
  let best: { node: ReservedNode; savedUsd: number; hourlyUsd: number } | undefined;
  for (const { option, types, unit } of open) {
    if (unit.count === 0) continue;
    for (const type of bitsOf(types)) {
      const node = { template: option.template, type };
      const id = problem.reservations?.idOf(type) ?? '';
      if ((free.get(id) ?? 0) <= 0 || dead.has(keyOf(node))) continue;
      const savedUsd = savedBy(node, open, problem);
      const hourlyUsd = problem.offerings.cheapestUsd(type, option.where);
      const isBetter =
        !best ||
        savedUsd > best.savedUsd * (1 + 1e-9) ||
        (savedUsd >= best.savedUsd * (1 - 1e-9) && hourlyUsd < best.hourlyUsd);
      if (savedUsd > 0 && isBetter) best = { node, savedUsd, hourlyUsd };
    }
  }
  return best?.node;
}

/** What the pods that fill it would cost elsewhere, the dearest first. */
function savedBy(node: ReservedNode, open: readonly ReservedWay[], problem: Problem): number {
  const { template, type } = node;
  const group = template.daemons.find(({ types }) => hasBit(types, type));
  const room = (problem.typeIndex.allocatable[type] ?? new Float64Array()).slice();
  if (!group) return 0;
  for (let column = 0; column < room.length; column++) {
    room[column] = at(room, column) - at(group.overhead, column);
  }
  let savedUsd = 0;
  for (const { unit, elsewhereUsd } of dearestFirst(node, open)) {
    let pods = Math.min(unit.count, findMaxPodsPerHost(unit));
    for (const column of unit.requestedColumns) {
      pods = Math.min(pods, Math.floor(at(room, column) / at(unit.request, column)));
    }
    if (pods <= 0) continue;
    for (const column of unit.requestedColumns) {
      room[column] = at(room, column) - at(unit.request, column) * pods;
    }
    savedUsd += pods * elsewhereUsd;
  }
  return savedUsd;
}

const dearestFirst = (
  { template, type }: ReservedNode,
  open: readonly ReservedWay[],
): readonly ReservedWay[] =>
  open
    .filter((way) => way.option.template === template && hasBit(way.types, type))
    .toSorted((a, b) => b.elsewhereUsd - a.elsewhereUsd);

/** @returns whether any pod came onto it */
function openNode(drafting: Drafting, node: ReservedNode, open: readonly ReservedWay[]): boolean {
  const ways = dearestFirst(node, open).filter(({ unit }) => unit.count > 0);
  const [first] = ways;
  if (!first) return false;
  const only = bitOf(node.type, first.types);
  const draft = openDraft(drafting, { ...first.option, types: only });
  if (!draft) return false;
  for (const { unit } of ways) putOn(drafting, draft, unit);
  if (draft.contents.size === 0) discardDraft(drafting, draft);
  return draft.contents.size > 0;
}

function bitOf(type: number, { length }: Bitset): Bitset {
  const only = new Uint32Array(length);
  only[type >>> 5] = 2 ** (type & 31);
  return only;
}

/** Who may still go elsewhere, without reserved types; in strict mode, who has to wait. */
function split(
  units: readonly PodGroup[],
  open: readonly ReservedWay[],
  free: ReadonlyMap<string, number>,
  mode: ReservedMode,
  { reservations }: Problem,
): ReservedPacking {
  const deferred = new Map<PodGroup, number>();
  const rest = units.map((unit) => {
    const ways = open.filter((way) => way.unit === unit);
    const isTaken =
      ways.length > 0 && ways.every(({ types }) => allTaken(types, free, reservations));
    if (mode === 'strict' && isTaken && unit.count > 0) {
      deferred.set({ ...unit }, unit.count);
      unit.count = 0;
    }
    return reservations ? { ...unit, options: unreserved(unit.options, reservations) } : unit;
  });
  return { units: rest, deferred };
}

const unreserved = (options: readonly PoolOption[], { types: all }: Reservations): readonly PoolOption[] =>
  options.flatMap((option) => {
    const types = without(option.types, all);
    return isEmptyBitset(types) ? [] : [{ ...option, types }];
  });

function allTaken(
  types: Bitset,
  free: ReadonlyMap<string, number>,
  reservations: Reservations | undefined,
): boolean {
  let taken = true;
  forEachBit(types, (type) => {
    if ((free.get(reservations?.idOf(type) ?? '') ?? 0) > 0) taken = false;
  });
  return taken;
}

/** Leaves a node that stands alone either one instance of one reservation, or none of any. */
export function settleReserved(draft: Draft, problem: Problem): Draft {
  const { reservations, offerings } = problem;
  if (!reservations) return draft;
  const offered = intersection(draft.types, offerings.offered(draft.where));
  const inside = intersection(offered, reservations.types);
  const { type } = cheapestType({ types: inside, where: draft.where }, problem);
  const only = type < 0 ? undefined : bitOf(type, draft.types);
  const isEnough = only && !findUnmetMinValues(draft.template, only, problem);
  draft.types = isEnough ? only : without(draft.types, reservations.types);
  return draft;
}
