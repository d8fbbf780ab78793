import { typesHolding, type Unit } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { sum } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { commit, joining, putOn, roomWithMinValues } from '../../packing/new-nodes/joining.ts';
import {
  cheapestType,
  type Draft,
  type Drafting,
  discardDraft,
} from '../../packing/new-nodes/packing-state.ts';
import { settleLimits } from '../../packing/new-nodes/resolve-limits.ts';
import { copyOfDrafting, repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPodsOnNewNodes } from './separate-nodes.ts';

/** Number of pairs that are merged, those with the least price increase first. */
const MAX_MERGES = 3;

/**
 * Number of nodes that are considered, the cheapest first: displaced pods are mostly those of small
 * nodes.
 */
const MAX_CANDIDATES = 24;

/** Lists packings with two nodes merged into one. */
export function* withFewerNodes(packing: Packing, problem: Problem): Generator<Packing> {
  const { drafts } = packing.drafting;
  const priced = drafts
    .map((draft, number) => ({ draft, number, usd: cheapestType(draft, problem).hourlyUsd }))
    .toSorted((a, b) => a.usd - b.usd)
    .slice(0, MAX_CANDIDATES);
  const pairs = priced.flatMap((a, first) =>
    priced.slice(first + 1).flatMap((b) => {
      const usd = computeMergedUsd(a.draft, b.draft, problem) - a.usd - b.usd;
      return usd < Infinity ? [{ a, b, usd }] : [];
    }),
  );
  for (const { a, b } of pairs.toSorted((x, y) => x.usd - y.usd).slice(0, MAX_MERGES)) {
    const merged = withMergedNodes(packing, a.number, b.number);
    if (merged) yield merged;
  }
}

/** Computes the price of the cheapest node for the pods of both, as far as types and zones tell. */
function computeMergedUsd(a: Draft, b: Draft, problem: Problem): number {
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

/**
 * Merges two new nodes; undefined if their types or the topology rules of their pods do not allow
 * it.
 */
export function withMergedNodes(
  packing: Packing,
  first: number,
  second: number,
): Packing | undefined {
  const drafting = mergeNodes(packing.drafting, first, second);
  return drafting && repriced(packing, drafting);
}

function mergeNodes(from: Drafting, first: number, second: number): Drafting | undefined {
  const drafting = copyOfDrafting(from);
  const [a, b] = [drafting.drafts[first], drafting.drafts[second]];
  if (!a || !b || a === b) return undefined;
  discardDraft(drafting, b);
  for (const [unit, pods] of b.contents) {
    const joined = joining(drafting, a, unit, pods);
    if (!joined || joined.room < pods || roomWithMinValues(drafting, a, unit, joined) < pods)
      return undefined;
    commit(drafting, a, { ...unit, count: pods }, pods, joined);
  }
  settleLimits(drafting);
  return drafting;
}

/** How the pods of removed nodes are packed again. */
interface RepackOptions {
  /** Whether the pods first fill free room on the other nodes. */
  readonly join: boolean;
  /**
   * Assumed cost of a node beside its instance, in USD per hour: a higher cost gives fewer nodes.
   */
  readonly perNodeUsd: number;
}

/** Removes some nodes and packs their pods again; undefined if a pod finds no node. */
export function withoutNodes(
  packing: Packing,
  numbers: ReadonlySet<number>,
  { join, perNodeUsd }: RepackOptions,
): Packing | undefined {
  const drafting = copyOfDrafting(packing.drafting);
  const moving = new Map<Unit, Unit>();
  for (const draft of drafting.drafts.filter((_, number) => numbers.has(number))) {
    discardDraft(drafting, draft);
    for (const [unit, pods] of draft.contents) {
      const existing = moving.get(unit) ?? { ...unit, count: 0 };
      existing.count += pods;
      moving.set(unit, existing);
    }
  }
  const removed = [...moving.values()];
  if (join) {
    for (const draft of drafting.drafts) for (const unit of removed) putOn(drafting, draft, unit);
    settleLimits(drafting);
  }
  const remaining = removed.filter(({ count }) => count > 0);
  if (remaining.length === 0) return repriced(packing, drafting);
  return withPodsOnNewNodes(packing, drafting, remaining, perNodeUsd);
}
