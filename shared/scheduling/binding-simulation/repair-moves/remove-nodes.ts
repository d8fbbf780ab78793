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
import { onNewNodes } from './separate-nodes.ts';

/** How many pairs of drafts are made one, those that it costs least first. */
const MOST_MERGES = 3;

/** Of how many drafts, the cheapest first: small nodes are what pods get lost on. */
const MOST_MERGED = 24;

/** Packings with a node less. */
export function* withFewerNodes(packing: Packing, problem: Problem): Generator<Packing> {
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
    const merged = withMerged(packing, a.number, b.number);
    if (merged) yield merged;
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

/** Two drafts made one; undefined if types or the rules of their pods forbid it. */
export function withMerged(packing: Packing, first: number, second: number): Packing | undefined {
  const drafting = merge(packing.drafting, first, second);
  return drafting && repriced(packing, drafting);
}

function merge(from: Drafting, first: number, second: number): Drafting | undefined {
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

/** What becomes of pods whose node is dissolved. */
interface Afterwards {
  /** Whether they first fill what the other nodes have left. */
  readonly join: boolean;
  /** To pack the rest as if each node cost so much beside its instance, in USD per hour. */
  readonly perNodeUsd: number;
}

/** The packing with the pods of some nodes packed anew. */
export function withoutNodes(
  packing: Packing,
  numbers: ReadonlySet<number>,
  { join, perNodeUsd }: Afterwards,
): Packing | undefined {
  const drafting = copyOfDrafting(packing.drafting);
  const moving = new Map<Unit, Unit>();
  for (const draft of drafting.drafts.filter((_, number) => numbers.has(number))) {
    discardDraft(drafting, draft);
    for (const [unit, pods] of draft.contents) {
      const known = moving.get(unit) ?? { ...unit, count: 0 };
      known.count += pods;
      moving.set(unit, known);
    }
  }
  const taken = [...moving.values()];
  if (join) {
    for (const draft of drafting.drafts) for (const unit of taken) putOn(drafting, draft, unit);
    settleLimits(drafting);
  }
  const rest = taken.filter(({ count }) => count > 0);
  if (rest.length === 0) return repriced(packing, drafting);
  return onNewNodes(packing, drafting, rest, perNodeUsd);
}
