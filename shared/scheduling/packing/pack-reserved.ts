import { computeFairPrice, findMaxPodsPerHost } from '../assignment/fair-price.ts';
import type { PodGroup, PoolOption } from '../assignment/pod-groups.ts';
import { setPodCount } from '../assignment/pod-groups.ts';
import {
  type Bitset,
  forEachBit,
  hasBit,
  intersection,
  isEmptyBitset,
  listBits,
  without,
} from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import type { Reservations } from '../input/reservations.ts';
import { findUnmetMinValues } from '../instance-types/min-values.ts';
import { findCheapestType, type NewNode, replaceTypes } from './new-nodes/new-node.ts';
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
 * Fills reserved capacity first, because it is paid for already. The pods that would cost most
 * elsewhere get it. Each new node takes one instance of one reservation, so a plan never uses more
 * instances than there are.
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
  const openOptions = podGroups.flatMap((podGroup) =>
    listReservedOptions(podGroup, reservations, state.problem),
  );
  const failedNodes = new Set<string>();
  for (;;) {
    const best = findBestNode(openOptions, free, failedNodes, state.problem);
    if (!best) break;
    if (openNode(state, best, openOptions)) {
      const id = reservations.idOf(best.type);
      free.set(id, (free.get(id) ?? 0) - 1);
    } else {
      failedNodes.add(toReservedNodeKey(best));
    }
  }
  return splitDeferred(podGroups, openOptions, free, mode, state.problem);
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
  { types: all }: Reservations,
  problem: Problem,
): readonly ReservedOption[] {
  const weight = podGroup.options[0]?.template.pool.weight;
  return podGroup.options
    .filter(({ template }) => template.pool.weight === weight)
    .flatMap((option) => {
      const types = intersection(
        intersection(option.types, all),
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

/** Finds the node whose pods would cost most elsewhere; among equal nodes the cheapest. */
function findBestNode(
  openOptions: readonly ReservedOption[],
  free: ReadonlyMap<string, number>,
  failedNodes: ReadonlySet<string>,
  problem: Problem,
): ReservedNode | undefined {
  let best: { node: ReservedNode; savedUsd: number; hourlyUsd: number } | undefined;
  for (const { option, types, podGroup } of openOptions) {
    if (podGroup.count === 0) continue;
    for (const type of listBits(types)) {
      const node = { template: option.template, type };
      const id = problem.reservations?.idOf(type) ?? '';
      if ((free.get(id) ?? 0) <= 0 || failedNodes.has(toReservedNodeKey(node))) continue;
      const savedUsd = computeSavedUsd(node, openOptions, problem);
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
    if ((free.get(reservations?.idOf(type) ?? '') ?? 0) > 0) taken = false;
  });
  return taken;
}

/** Restricts a single node to one instance of one reservation, or to no reservation. */
export function resolveReserved(newNode: NewNode, problem: Problem): NewNode {
  const { reservations, offerings } = problem;
  if (!reservations) return newNode;
  const offered = intersection(newNode.types, offerings.offered(newNode.where));
  const inside = intersection(offered, reservations.types);
  const { type } = findCheapestType({ types: inside, where: newNode.where }, problem);
  const only = type < 0 ? undefined : toSingleType(type, newNode.types);
  const isEnough = only && !findUnmetMinValues(newNode.template, only, problem);
  replaceTypes(newNode, isEnough ? only : without(newNode.types, reservations.types));
  return newNode;
}
