import { cheapestType, type Draft } from '../packing/drafts.ts';
import { typesHolding } from '../packing/units.ts';
import type { Problem } from '../problem.ts';
import { at } from '../vectors.ts';
import { addBit, type Bitset, hasBit, intersection, without } from './bitset.ts';
import { SPOT } from './offering-index.ts';

/**
 * The spot offerings that a claim keeps open where so many suit it: with few to choose from, EC2
 * takes what it gives back soon.
 *
 * @see Karpenter, which replaces spot by spot only with so many types to choose from
 */
export const SPOT_OFFERINGS = 15;

type Choice = Pick<Draft, 'types' | 'where'>;

/** How many spot offerings are open; 0 for what may not be spot. */
export const spotOfferings = ({ types, where }: Choice, { offerings }: Problem): number =>
  (where.capacityTypes & SPOT) === 0
    ? 0
    : offerings.count(types, { ...where, capacityTypes: SPOT }, true);

/** Numbers of the types that can be had, cheapest first. */
export const typesByPrice = ({ types, where }: Choice, { offerings }: Problem): readonly number[] =>
  offerings.byPrice(where).filter((type) => hasBit(types, type));

/**
 * The draft with types that hold its pods but not all the room kept beside them, dearer ones only:
 * enough for a choice of spot offerings. The cheapest, which the plan counts on, stays the same.
 */
export function withSpotChoice(draft: Draft, problem: Problem): Draft {
  const hasSpare = draft.spare.some((room) => room > 0);
  const maySpot = (draft.where.capacityTypes & SPOT) !== 0;
  if (!hasSpare || !maySpot || spotOfferings(draft, problem) >= SPOT_OFFERINGS) return draft;
  const leastUsd = cheapestType(draft, problem).hourlyUsd;
  const types = draft.types.slice();
  const wider = { ...draft, types };
  for (const type of typesByPrice(
    { types: typesForPods(draft, problem), where: draft.where },
    problem,
  )) {
    if (spotOfferings(wider, problem) >= SPOT_OFFERINGS) break;
    const isDearer = problem.offerings.cheapestUsd(type, draft.where) >= leastUsd;
    if (isDearer && isCharged(draft, type, problem)) addBit(types, type);
  }
  return wider;
}

/** Types that every pod of the draft may be on, and that hold all of them. */
function typesForPods({ template, contents, used }: Draft, problem: Problem): Bitset {
  let types = template.types;
  for (const { cls, options } of contents.keys()) {
    // Which types have devices for it is not known here.
    if (cls.spec.deviceClaims) return problem.index.none;
    const option = options.find((one) => one.template === template);
    const holding = typesHolding(template.daemons, used, problem, cls.spec);
    types = intersection(types, intersection(option?.types ?? problem.index.none, holding));
  }
  return problem.reservations ? without(types, problem.reservations.types) : types;
}

/** Whether the limits that the draft was charged with allow for the type as well. */
const isCharged = ({ charged }: Draft, type: number, { index }: Problem): boolean =>
  charged.every((amount) => amount === 0) ||
  charged.every((amount, column) => at(index.capacity[type] ?? charged, column) <= amount);
