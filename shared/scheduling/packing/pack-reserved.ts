import type { PodGroup, PoolOption } from '../assignment/pod-groups.ts';
import { setPodCount } from '../assignment/pod-groups.ts';
import { type Bitset, createBitset, forEachBit, isEmptyBitset, without } from '../data-structures/bitset.ts';
import { hasFreeUnits, type Reservations, takeUnits } from '../input/reservations.ts';
import { discardNewNode, openNewNode, type PackingState } from './new-nodes/packing-state.ts';
import { placePods } from './new-nodes/place-pods.ts';
import {
  type CompareNodes,
  findBestNode,
  listOptionsOfNode,
  listReservedOptions,
  type ReservedNode,
  type ReservedOption,
  savesMore,
  savesMoreOfItsPrice,
  toReservedNodeKey,
} from './reserved-nodes.ts';

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
  reservations: Reservations,
  mode: ReservedMode,
): ReservedPacking {
  const free = new Map(reservations.free);
  const listOptions = (types: Bitset) =>
    podGroups.flatMap((podGroup) => listReservedOptions(podGroup, types, state.problem));
  const reserved = listOptions(without(reservations.types, reservations.committed));
  fillNodes(state, reservations, reserved, free, savesMore);
  if (!isEmptyBitset(reservations.committed))
    fillNodes(state, reservations, listOptions(reservations.committed), free, savesMoreOfItsPrice);
  return splitDeferred(podGroups, reserved, free, mode, reservations);
}

function fillNodes(
  state: PackingState,
  reservations: Reservations,
  options: readonly ReservedOption[],
  free: Map<string, number>,
  isBetter: CompareNodes,
): void {
  const failedNodes = new Set<string>();
  while (true) {
    const best = findBestNode(options, free, failedNodes, isBetter, state.problem);
    if (!best) return;
    if (openNode(state, best, options)) takeUnits(reservations, free, best.type);
    else failedNodes.add(toReservedNodeKey(best));
  }
}

/**
 * @returns true if the node has any pod
 */
function openNode(state: PackingState, node: ReservedNode, options: readonly ReservedOption[]): boolean {
  const reservedOptions = listOptionsOfNode(node, options).filter(({ podGroup }) => podGroup.count > 0);
  const [first] = reservedOptions;
  if (!first) return false;
  const only = createBitset([node.type], first.types.length * 32);
  const newNode = openNewNode(state, { ...first.option, types: only });
  if (!newNode) return false;
  for (const { podGroup } of reservedOptions) placePods(state, newNode, podGroup);
  if (newNode.podCounts.size === 0) discardNewNode(state, newNode);
  return newNode.podCounts.size > 0;
}

/**
 * Returns the groups without reserved types; in strict mode, defers pods whose reservations are all
 * taken.
 */
function splitDeferred(
  podGroups: readonly PodGroup[],
  options: readonly ReservedOption[],
  free: ReadonlyMap<string, number>,
  mode: ReservedMode,
  reservations: Reservations,
): ReservedPacking {
  const deferred = new Map<PodGroup, number>();
  const remaining = podGroups.map((podGroup) => {
    const reservedOptions = options.filter((reservedOption) => reservedOption.podGroup === podGroup);
    const isTaken =
      reservedOptions.length > 0 && reservedOptions.every(({ types }) => areAllTaken(types, free, reservations));
    if (mode === 'strict' && isTaken && podGroup.count > 0) {
      deferred.set({ ...podGroup }, podGroup.count);
      setPodCount(podGroup, 0);
    }
    return { ...podGroup, options: withoutReservedTypes(podGroup.options, reservations) };
  });
  return { podGroups: remaining, deferred };
}

const withoutReservedTypes = (options: readonly PoolOption[], { types: all }: Reservations): readonly PoolOption[] =>
  options.flatMap((option) => {
    const types = without(option.types, all);
    return isEmptyBitset(types) ? [] : [{ ...option, types }];
  });

function areAllTaken(types: Bitset, free: ReadonlyMap<string, number>, reservations: Reservations): boolean {
  let taken = true;
  forEachBit(types, (type) => {
    if (hasFreeUnits(reservations, free, type)) taken = false;
  });
  return taken;
}
