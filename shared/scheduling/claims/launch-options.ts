import {
  CAPACITY_OVERLAY_ANNOTATION,
  type Labels,
  PRICE_OVERLAY_ANNOTATION,
} from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import { bitsOf } from '../data-structures/bitset.ts';
import { memoizePerSnapshot } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import { listTypesByPrice } from '../instance-types/offered-types.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { inZone, ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import { type NewNode } from '../packing/new-nodes/new-node.ts';
import { truncateTypes } from './claim-type-choice.ts';

/** What the types and places that are left to a draft come to. */
export interface LaunchOptions {
  /** Names of the types that its claim lists, cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly cheapest: Offering | undefined;
  /** The cheapest of another type. */
  readonly nextBest: Offering | undefined;
  readonly where: { readonly zones: readonly string[]; readonly capacityTypes: readonly string[] };
  /** Annotations that say what overlays have changed. */
  readonly overlayAnnotations: Labels;
}

const cachedOptions = memoizePerSnapshot(() => new Map<string, LaunchOptions>());

/** Drafts of one plan are many, what may be launched for them differs little. */
export function findLaunchOptions(newNode: NewNode, problem: Problem): LaunchOptions {
  const cachedByKey = cachedOptions(problem);
  const { types, where, minValues, template } = newNode;
  // Which types a claim lists depends on what its pool asks of them, if it asks for anything.
  const poolKey = minValues.length > 0 ? [template.pool.name, JSON.stringify(minValues)] : [];
  const key = [where.zones, where.capacityTypes, types.join(), ...poolKey].join(' ');
  return getOrCreate(cachedByKey, key, () => computeLaunchOptions(newNode, problem));
}

function computeLaunchOptions(newNode: NewNode, problem: Problem): LaunchOptions {
  const { typeIndex, offerings } = problem;
  const ranked = listTypesByPrice(newNode, problem);
  const nameOf = (type: number): string => typeIndex.types[type]?.name ?? '';
  const [best] = ranked;
  const second = ranked.find((type) => nameOf(type) !== nameOf(best ?? -1));
  return {
    instanceTypes: truncateTypes(newNode, ranked, problem).map(nameOf),
    cheapest: best === undefined ? undefined : offerings.cheapest(best, newNode.where),
    nextBest: second === undefined ? undefined : offerings.cheapest(second, newNode.where),
    where: listOfferedPlaces(newNode, problem),
    overlayAnnotations: createOverlayAnnotations(newNode, problem),
  };
}

/** The zones and capacity types where some type of the draft can be had now. */
function listOfferedPlaces({ types, where }: NewNode, { offerings }: Problem) {
  const isOffered = (at: OfferingScope) => offerings.count(types, at, true) > 0;
  return {
    zones: offerings.zones.filter((_, bit) => isOffered(inZone(where, bit))),
    capacityTypes: CAPACITY_TYPES.filter((_, bit) => isOffered(ofCapacityType(where, bit))),
  };
}

/** The launch goes by our order of prices, not by EC2's, where overlays have changed them. */
function createOverlayAnnotations({ types }: NewNode, { typeIndex }: Problem): Labels {
  const overlays = bitsOf(types).flatMap((type) => typeIndex.types[type]?.overlay ?? []);
  return {
    ...(overlays.some(({ market: launchOptions }) => launchOptions !== undefined) && {
      [PRICE_OVERLAY_ANNOTATION]: 'true',
    }),
    ...(overlays.some(({ capacity }) => capacity) && { [CAPACITY_OVERLAY_ANNOTATION]: 'true' }),
  };
}
