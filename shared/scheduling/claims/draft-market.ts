import {
  CAPACITY_OVERLAY_ANNOTATION,
  type Labels,
  PRICE_OVERLAY_ANNOTATION,
} from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import { bitsOf } from '../data-structures/bitset.ts';
import { oncePrepared } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import { typesByPrice } from '../instance-types/offered-types.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { inZone, ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import type { NewNode } from '../packing/new-nodes/packing-state.ts';
import { truncateTypes } from './claim-type-choice.ts';

/** What the types and places that are left to a draft come to. */
export interface DraftMarket {
  /** Names of the types that its claim lists, cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly cheapest: Offering | undefined;
  /** The cheapest of another type. */
  readonly nextBest: Offering | undefined;
  readonly where: { readonly zones: readonly string[]; readonly capacityTypes: readonly string[] };
  /** Annotations that say what overlays have changed. */
  readonly overlaid: Labels;
}

const knownMarkets = oncePrepared(() => new Map<string, DraftMarket>());

/** Drafts of one plan are many, what may be launched for them differs little. */
export function marketFor(draft: NewNode, problem: Problem): DraftMarket {
  const markets = knownMarkets(problem);
  const { types, where, minValues, template } = draft;
  // Which types a claim lists depends on what its pool asks of them, if it asks for anything.
  const asking = minValues.length > 0 ? [template.pool.name, JSON.stringify(minValues)] : [];
  const key = [where.zones, where.capacityTypes, types.join(), ...asking].join(' ');
  return getOrCreate(markets, key, () => workOutMarket(draft, problem));
}

function workOutMarket(draft: NewNode, problem: Problem): DraftMarket {
  const { typeIndex, offerings } = problem;
  const ranked = typesByPrice(draft, problem);
  const nameOf = (type: number): string => typeIndex.types[type]?.name ?? '';
  const [best] = ranked;
  const second = ranked.find((type) => nameOf(type) !== nameOf(best ?? -1));
  return {
    instanceTypes: truncateTypes(draft, ranked, problem).map(nameOf),
    cheapest: best === undefined ? undefined : offerings.cheapest(best, draft.where),
    nextBest: second === undefined ? undefined : offerings.cheapest(second, draft.where),
    where: whereNames(draft, problem),
    overlaid: overlayAnnotations(draft, problem),
  };
}

/** The zones and capacity types where some type of the draft can be had now. */
function whereNames({ types, where }: NewNode, { offerings }: Problem) {
  const isOffered = (at: OfferingScope) => offerings.count(types, at, true) > 0;
  return {
    zones: offerings.zones.filter((_, bit) => isOffered(inZone(where, bit))),
    capacityTypes: CAPACITY_TYPES.filter((_, bit) => isOffered(ofCapacityType(where, bit))),
  };
}

/** The launch goes by our order of prices, not by EC2's, where overlays have changed them. */
function overlayAnnotations({ types }: NewNode, { typeIndex }: Problem): Labels {
  const overlays = bitsOf(types).flatMap((type) => typeIndex.types[type]?.overlay ?? []);
  return {
    ...(overlays.some(({ market }) => market !== undefined) && {
      [PRICE_OVERLAY_ANNOTATION]: 'true',
    }),
    ...(overlays.some(({ capacity }) => capacity) && { [CAPACITY_OVERLAY_ANNOTATION]: 'true' }),
  };
}
