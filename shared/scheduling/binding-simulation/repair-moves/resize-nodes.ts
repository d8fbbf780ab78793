import { typesHolding } from '../../assignment/pod-groups.ts';
import {
  type Bitset,
  bitsOf,
  hasBit,
  intersection,
  isEmptyBitset,
} from '../../data-structures/bitset.ts';
import { at, sum, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { unmetMinValues } from '../../instance-types/min-values.ts';
import { cheapestType, type Draft, type Drafting } from '../../packing/new-nodes/packing-state.ts';

/**
 * The draft with other cheapest types for the pods that are on it, smaller ones and larger ones:
 * each is cheaper than all that are as large.
 *
 * @param mostMoreUsd - how much dearer they may be, in USD per hour; 0: only cheaper ones
 */
export function otherSizes(
  { drafts, allowances }: Drafting,
  number: number,
  mostMoreUsd: number,
  problem: Problem,
): Draft[] {
  const draft = drafts[number];
  if (!draft) return [];
  const now = cheapestType(draft, problem);
  // Limits were settled for the types that it has.
  const isLimited = allowances.has(draft.template.pool.name);
  const types = isLimited ? draft.types : typesFor(draft, NOTHING, problem);
  return frontier(draft, types, now.hourlyUsd + mostMoreUsd, problem).flatMap((type) => {
    const sized = type === now.type ? undefined : withRoomOf(draft, type, types, problem);
    return sized ?? [];
  });
}

const NOTHING: Vector = new Float64Array();

/** Types of which no cheaper one has as much CPU and memory, the cheapest first. */
function frontier(
  { where }: Draft,
  types: Bitset,
  mostUsd: number,
  { index, offerings }: Problem,
): number[] {
  const prices = offerings.pricesIn(where);
  const affordable = bitsOf(types)
    .filter((type) => at(prices, type) <= mostUsd)
    .toSorted((a, b) => at(prices, a) - at(prices, b));
  const found: number[] = [];
  const sizeOf = (type: number): Vector => index.allocatable[type] ?? NOTHING;
  for (const type of affordable) {
    const isBeaten = found.some((other) =>
      [CPU_COLUMN, MEMORY_COLUMN].every(
        (column) => at(sizeOf(other), column) >= at(sizeOf(type), column),
      ),
    );
    if (!isBeaten) found.push(type);
  }
  return found;
}

const [CPU_COLUMN, MEMORY_COLUMN] = [0, 1];

/** The draft with those of `types` that leave as much for pods as one of them does. */
function withRoomOf(
  draft: Draft,
  type: number,
  types: Bitset,
  problem: Problem,
): Draft | undefined {
  const { template, used } = draft;
  const size = problem.index.allocatable[type] ?? NOTHING;
  const daemons = template.daemons.find((group) => hasBit(group.types, type));
  const taken = sum(used, daemons?.overhead ?? NOTHING);
  const spare = used.map((amount, column) =>
    amount > 0 ? Math.max(0, at(size, column) - at(taken, column)) : 0,
  );
  const left = intersection(types, typesHolding(template.daemons, sum(used, spare), problem));
  if (isEmptyBitset(left)) return undefined;
  if (unmetMinValues(template, left, problem, draft.minValues)) return undefined;
  return { ...draft, types: left, spare };
}

/** All types that hold what is on the draft, and some room beside it. */
export function typesFor(
  { template, contents, used }: Draft,
  spare: Vector,
  problem: Problem,
): Bitset {
  let types = typesHolding(template.daemons, sum(used, spare), problem);
  for (const { options, cls } of contents.keys()) {
    const own = options.find((option) => option.template === template);
    types = intersection(types, own?.types ?? problem.index.none);
    if (cls.spec.hostPorts.length > 0) {
      types = intersection(types, typesHolding(template.daemons, used, problem, cls.spec));
    }
  }
  return types;
}
