import { getOrCreate } from '../../model/memo.ts';
import { computeFairPrice, findMaxPodsPerHost } from '../assignment/fair-price.ts';
import type { PodGroup, PoolOption } from '../assignment/pod-groups.ts';
import { setPodCount } from '../assignment/pod-groups.ts';
import {
  type Bitset,
  createBitset,
  forEachBit,
  hasBit,
  intersection,
  isEmptyBitset,
  listBits,
  without,
} from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { hasFreeUnits, type Reservations, takeUnits } from '../input/reservations.ts';
import { findUnmetMinValues } from '../instance-types/min-values.ts';
import { ON_DEMAND } from '../instance-types/offering-index.ts';
import { findCheapestType, type NewNode, narrowNode, replaceTypes } from './new-nodes/new-node.ts';
import { discardNewNode, openNewNode, type PackingState } from './new-nodes/packing-state.ts';
import { placePods } from './new-nodes/place-pods.ts';

/** Decides about pods whose reservations are all taken by the plan that is being made. */
export type ReservedMode =
  /** They wait for the next plan, which knows which launches succeeded. */
  | 'strict'
  /** They use other capacity. */
  | 'fallback';

export interface ReservedPacking {
  /** The pod groups that are left for other capacity, counted down. */
  readonly podGroups: readonly PodGroup[];
  /** Pods that wait for the next plan. */
  readonly deferred: ReadonlyMap<PodGroup, number>;
}

/**
 * Fills capacity that is paid for first: reservations, then commitments. The pods that would cost most
 * elsewhere get it. Each new node takes one instance of one reservation, or its units of one commitment,
 * so a plan never uses more than there is.
 *
 * @param podGroups - counted down; each must belong to this packing alone
 */
export function packReserved(
  state: PackingState,
  podGroups: readonly PodGroup[],
  mode: ReservedMode,
): ReservedPacking {
  const { reservations } = state.problem;
  if (!reservations) return { podGroups, deferred: new Map() };

  const free = new Map(reservations.free);
  const listOptions = (types: Bitset) =>
    podGroups.flatMap((podGroup) => listReservedOptions(podGroup, types, state.problem));
  const reserved = listOptions(without(reservations.types, reservations.committed));
  fillNodes(state, reserved, free, savesMore);
  if (!isEmptyBitset(reservations.committed))
    fillNodes(state, listOptions(reservations.committed), free, savesMoreOfItsPrice);
  return splitDeferred(podGroups, reserved, free, mode, state.problem);
}

function fillNodes(
  state: PackingState,
  openOptions: readonly ReservedOption[],
  free: Map<string, number>,
  isBetter: CompareNodes,
): void {
  const { reservations } = state.problem;
  const failedNodes = new Set<string>();
  while (reservations) {
    const best = findBestNode(openOptions, free, failedNodes, isBetter, state.problem);
    if (!best) return;
    if (openNode(state, best, openOptions)) takeUnits(reservations, free, best.type);
    else failedNodes.add(toReservedNodeKey(best));
  }
}

/**
 * A pod group with one pool of the heaviest weight that it may use, and its reserved types there.
 */
interface ReservedOption {
  readonly podGroup: PodGroup;
  readonly option: PoolOption;
  readonly types: Bitset;
  /** Price of a pod on other capacity, in USD per hour. */
  readonly elsewhereUsd: number;
}

/** Stands for pods that can use no other capacity; they come first. */
const NOWHERE_ELSE_USD = 1e6;

function listReservedOptions(
  podGroup: PodGroup,
  candidates: Bitset,
  problem: Problem,
): readonly ReservedOption[] {
  const all = problem.reservations?.types ?? candidates;
  const weight = podGroup.options[0]?.template.pool.weight;
  return podGroup.options
    .filter(({ template }) => template.pool.weight === weight)
    .flatMap((option) => {
      const types = intersection(
        intersection(option.types, candidates),
        problem.offerings.offered(option.where),
      );
      if (isEmptyBitset(types)) return [];
      const others = { ...option, types: without(option.types, all) };
      const usd = computeFairPrice(podGroup, others, problem);
      return [{ podGroup, option, types, elsewhereUsd: Math.min(usd, NOWHERE_ELSE_USD) }];
    });
}

/** A reserved node that could be opened. */
interface ReservedNode {
  readonly template: PoolOption['template'];
  readonly type: number;
}

const toReservedNodeKey = ({ template, type }: ReservedNode): string =>
  `${template.pool.name} ${type}`;

/** A node with what its pods would cost elsewhere, and its own price. */
interface RatedNode {
  readonly node: ReservedNode;
  readonly savedUsd: number;
  readonly hourlyUsd: number;
}

type CompareNodes = (a: RatedNode, b: RatedNode) => boolean;

/** An instance of a reservation is one instance, whatever its size: the pods decide, then the price. */
const savesMore: CompareNodes = (a, b) =>
  a.savedUsd > b.savedUsd * (1 + 1e-9) ||
  (a.savedUsd >= b.savedUsd * (1 - 1e-9) && a.hourlyUsd < b.hourlyUsd);

/** A larger instance uses more of a commitment: the share of its price that its pods save decides. */
const savesMoreOfItsPrice: CompareNodes = (a, b) => {
  const [shareA, shareB] = [a.savedUsd / a.hourlyUsd, b.savedUsd / b.hourlyUsd];
  return shareA > shareB * (1 + 1e-9) || (shareA >= shareB * (1 - 1e-9) && a.savedUsd > b.savedUsd);
};

/** Finds the best node whose units are free and whose pods would cost anything elsewhere. */
function findBestNode(
  openOptions: readonly ReservedOption[],
  free: ReadonlyMap<string, number>,
  failedNodes: ReadonlySet<string>,
  isBetter: CompareNodes,
  problem: Problem,
): ReservedNode | undefined {
  const { reservations, offerings } = problem;
  // Many pod groups may use the same node.
  const savedUsdByNode = new Map<string, number>();
  let best: RatedNode | undefined;
  for (const { option, types, podGroup } of openOptions) {
    if (podGroup.count === 0) continue;
    for (const type of listBits(types)) {
      const node = { template: option.template, type };
      const key = toReservedNodeKey(node);
      if (!reservations || !hasFreeUnits(reservations, free, type)) continue;
      if (failedNodes.has(key)) continue;
      const savedUsd = getOrCreate(savedUsdByNode, key, () =>
        computeSavedUsd(node, openOptions, problem),
      );
      const hourlyUsd = offerings.cheapestUsd(type, option.where);
      const rated = { node, savedUsd, hourlyUsd };
      if (savedUsd > 0 && (!best || isBetter(rated, best))) best = rated;
    }
  }
  return best?.node;
}

/**
 * Sums the price that the pods of the node would have elsewhere; the most expensive pods come
 * first.
 */
function computeSavedUsd(
  node: ReservedNode,
  openOptions: readonly ReservedOption[],
  problem: Problem,
): number {
  const { template, type } = node;
  const group = template.daemons.find(({ types }) => hasBit(types, type));
  const room = (problem.typeIndex.allocatable[type] ?? new Float64Array()).slice();
  if (!group) return 0;
  for (let column = 0; column < room.length; column++) {
    room[column] = at(room, column) - at(group.overhead, column);
  }
  let savedUsd = 0;
  for (const { podGroup, elsewhereUsd } of sortByElsewhereUsd(node, openOptions)) {
    let pods = Math.min(podGroup.count, findMaxPodsPerHost(podGroup));
    for (const column of podGroup.requestedColumns) {
      pods = Math.min(pods, Math.floor(at(room, column) / at(podGroup.request, column)));
    }
    if (pods <= 0) continue;
    for (const column of podGroup.requestedColumns) {
      room[column] = at(room, column) - at(podGroup.request, column) * pods;
    }
    savedUsd += pods * elsewhereUsd;
  }
  return savedUsd;
}

const sortByElsewhereUsd = (
  { template, type }: ReservedNode,
  openOptions: readonly ReservedOption[],
): readonly ReservedOption[] =>
  openOptions
    .filter(
      (reservedOption) =>
        reservedOption.option.template === template && hasBit(reservedOption.types, type),
    )
    .toSorted((a, b) => b.elsewhereUsd - a.elsewhereUsd);

/**
 * @returns whether the node has any pod
 */
function openNode(
  state: PackingState,
  node: ReservedNode,
  openOptions: readonly ReservedOption[],
): boolean {
  const reservedOptions = sortByElsewhereUsd(node, openOptions).filter(
    ({ podGroup }) => podGroup.count > 0,
  );
  const [first] = reservedOptions;
  if (!first) return false;
  const only = toSingleType(node.type, first.types);
  const newNode = openNewNode(state, { ...first.option, types: only });
  if (!newNode) return false;
  for (const { podGroup } of reservedOptions) placePods(state, newNode, podGroup);
  if (newNode.podCounts.size === 0) discardNewNode(state, newNode);
  return newNode.podCounts.size > 0;
}

function toSingleType(type: number, { length }: Bitset): Bitset {
  const only = new Uint32Array(length);
  only[type >>> 5] = 2 ** (type & 31);
  return only;
}

/**
 * Returns the groups without reserved types; in strict mode, defers pods whose reservations are all
 * taken.
 */
function splitDeferred(
  podGroups: readonly PodGroup[],
  openOptions: readonly ReservedOption[],
  free: ReadonlyMap<string, number>,
  mode: ReservedMode,
  { reservations }: Problem,
): ReservedPacking {
  const deferred = new Map<PodGroup, number>();
  const remaining = podGroups.map((podGroup) => {
    const reservedOptions = openOptions.filter(
      (reservedOption) => reservedOption.podGroup === podGroup,
    );
    const isTaken =
      reservedOptions.length > 0 &&
      reservedOptions.every(({ types }) => areAllTaken(types, free, reservations));
    if (mode === 'strict' && isTaken && podGroup.count > 0) {
      deferred.set({ ...podGroup }, podGroup.count);
      setPodCount(podGroup, 0);
    }
    return reservations
      ? { ...podGroup, options: withoutReservedTypes(podGroup.options, reservations) }
      : podGroup;
  });
  return { podGroups: remaining, deferred };
}

const withoutReservedTypes = (
  options: readonly PoolOption[],
  { types: all }: Reservations,
): readonly PoolOption[] =>
  options.flatMap((option) => {
    const types = without(option.types, all);
    return isEmptyBitset(types) ? [] : [{ ...option, types }];
  });

function areAllTaken(
  types: Bitset,
  free: ReadonlyMap<string, number>,
  reservations: Reservations | undefined,
): boolean {
  let taken = true;
  forEachBit(types, (type) => {
    if (reservations && hasFreeUnits(reservations, free, type)) taken = false;
  });
  return taken;
}

/** Restricts a single node to one instance of one reservation or commitment, or to none of them. */
export function resolveReserved(newNode: NewNode, problem: Problem): NewNode {
  const { reservations, offerings } = problem;
  if (!reservations) return newNode;
  const inside = intersection(
    intersection(newNode.types, offerings.offered(newNode.where)),
    listFreeTypes(reservations),
  );
  const { type } = findCheapestType({ types: inside, where: newNode.where }, problem);
  const only = type < 0 ? undefined : toSingleType(type, newNode.types);
  const isEnough = only && !findUnmetMinValues(newNode.template, only, problem);
  replaceTypes(newNode, isEnough ? only : without(newNode.types, reservations.types));
  // A committed type has no spot offering, and must not be compared with spot nodes.
  if (isEnough && hasBit(reservations.committed, type))
    narrowNode(newNode, { ...newNode, where: { ...newNode.where, capacityTypes: ON_DEMAND } });
  return newNode;
}

function listFreeTypes(reservations: Reservations): Bitset {
  const { types, committed, free } = reservations;
  const taken = listBits(committed).filter((type) => !hasFreeUnits(reservations, free, type));
  return taken.length === 0 ? types : without(types, createBitset(taken, types.length * 32));
}
