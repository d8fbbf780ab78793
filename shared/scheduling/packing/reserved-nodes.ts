import { getOrCreate } from '../../model/memo.ts';
import { computeFairPrice, findMaxPodsPerHost } from '../assignment/fair-price.ts';
import type { PodGroup, PoolOption } from '../assignment/pod-groups.ts';
import { type Bitset, hasBit, intersection, isEmptyBitset, listBits, without } from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { hasFreeUnits } from '../input/reservations.ts';

/**
 * A pod group with one pool of the heaviest weight that it may use, and its reserved types there.
 */
export interface ReservedOption {
  readonly podGroup: PodGroup;
  readonly option: PoolOption;
  readonly types: Bitset;
  /** Price of a pod on other capacity, in USD per hour. */
  readonly elsewhereUsd: number;
}

/** Stands for pods that can use no other capacity; they come first. */
const NOWHERE_ELSE_USD = 1e6;

export function listReservedOptions(
  podGroup: PodGroup,
  candidates: Bitset,
  problem: Problem,
): readonly ReservedOption[] {
  const all = problem.reservations?.types ?? candidates;
  const weight = podGroup.options[0]?.template.pool.weight;
  return podGroup.options
    .filter(({ template }) => template.pool.weight === weight)
    .flatMap((option) => {
      const types = intersection(intersection(option.types, candidates), problem.offerings.offered(option.where));
      if (isEmptyBitset(types)) return [];
      const others = { ...option, types: without(option.types, all) };
      const usd = computeFairPrice(podGroup, others, problem);
      return [{ podGroup, option, types, elsewhereUsd: Math.min(usd, NOWHERE_ELSE_USD) }];
    });
}

/** A reserved node that could be opened. */
export interface ReservedNode {
  readonly template: PoolOption['template'];
  readonly type: number;
}

export const toReservedNodeKey = ({ template, type }: ReservedNode): string => `${template.pool.name} ${type}`;

/** A node with what its pods would cost elsewhere, and its own price. */
interface RatedNode {
  readonly node: ReservedNode;
  readonly savedUsd: number;
  readonly hourlyUsd: number;
}

export type CompareNodes = (a: RatedNode, b: RatedNode) => boolean;

/** An instance of a reservation is one instance, whatever its size: the pods decide, then the price. */
export const savesMore: CompareNodes = (a, b) =>
  a.savedUsd > b.savedUsd * (1 + 1e-9) || (a.savedUsd >= b.savedUsd * (1 - 1e-9) && a.hourlyUsd < b.hourlyUsd);

/** A larger instance uses more of a commitment: the share of its price that its pods save decides. */
export const savesMoreOfItsPrice: CompareNodes = (a, b) => {
  const [shareA, shareB] = [a.savedUsd / a.hourlyUsd, b.savedUsd / b.hourlyUsd];
  return shareA > shareB * (1 + 1e-9) || (shareA >= shareB * (1 - 1e-9) && a.savedUsd > b.savedUsd);
};

/** Finds the best node whose units are free and whose pods would cost anything elsewhere. */
export function findBestNode(
  options: readonly ReservedOption[],
  free: ReadonlyMap<string, number>,
  failedNodes: ReadonlySet<string>,
  isBetter: CompareNodes,
  problem: Problem,
): ReservedNode | undefined {
  const { reservations, offerings } = problem;
  // Many pod groups may use the same node.
  const savedUsdByNode = new Map<string, number>();
  let best: RatedNode | undefined;
  for (const { option, types, podGroup } of options) {
    if (podGroup.count === 0) continue;
    for (const type of listBits(types)) {
      const node = { template: option.template, type };
      const key = toReservedNodeKey(node);
      if (!reservations || !hasFreeUnits(reservations, free, type)) continue;
      if (failedNodes.has(key)) continue;
      const savedUsd = getOrCreate(savedUsdByNode, key, () => computeSavedUsd(node, options, problem));
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
function computeSavedUsd(node: ReservedNode, options: readonly ReservedOption[], problem: Problem): number {
  const { template, type } = node;
  const group = template.daemons.find(({ types }) => hasBit(types, type));
  const room = (problem.typeIndex.allocatable[type] ?? new Float64Array()).slice();
  if (!group) return 0;
  for (let column = 0; column < room.length; column++) {
    room[column] = at(room, column) - at(group.overhead, column);
  }
  let savedUsd = 0;
  for (const { podGroup, elsewhereUsd } of listOptionsOfNode(node, options)) {
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

/** Lists the pod groups that may use the node, the most expensive elsewhere first. */
export const listOptionsOfNode = (
  { template, type }: ReservedNode,
  options: readonly ReservedOption[],
): readonly ReservedOption[] =>
  options
    .filter((reservedOption) => reservedOption.option.template === template && hasBit(reservedOption.types, type))
    .toSorted((a, b) => b.elsewhereUsd - a.elsewhereUsd);
