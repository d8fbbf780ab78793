import { CAPACITY_OVERLAY_ANNOTATION, type Labels, PRICE_OVERLAY_ANNOTATION } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import { listBits, overlaps } from '../data-structures/bitset.ts';
import { memoizePerSnapshot, type Problem } from '../input/problem.ts';
import { listTypesByPrice } from '../instance-types/offered-types.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { inZone, ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { truncateTypes } from './claim-type-choice.ts';

/** The instance types and offerings with which a new node may be launched. */
export interface LaunchOptions {
  /** Names of the types that the claim lists, cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly cheapest: Offering | undefined;
  /** The cheapest offering of any other type. */
  readonly nextBest: Offering | undefined;
  readonly where: { readonly zones: readonly string[]; readonly capacityTypes: readonly string[] };
  /** Annotations that tell which properties NodeOverlays have changed. */
  readonly overlayAnnotations: Labels;
}

const cachedOptions = memoizePerSnapshot(() => new Map<string, LaunchOptions>());

/** Finds the launch options of a new node. Cached: many nodes of one plan have the same options. */
export function findLaunchOptions(newNode: NewNode, problem: Problem): LaunchOptions {
  const cachedByKey = cachedOptions(problem);
  const { types, where, minValues, template } = newNode;
  // The types that a claim lists depend on the pool only through its minValues.
  const poolKey = minValues.length > 0 ? [template.pool.name, JSON.stringify(minValues)] : [];
  const key = [where.zones, where.capacityTypes, types.join(), ...poolKey].join(' ');
  return getOrCreate(cachedByKey, key, () => computeLaunchOptions(newNode, problem));
}

function computeLaunchOptions(newNode: NewNode, problem: Problem): LaunchOptions {
  const { typeIndex, offerings } = problem;
  const ranked = listTypesByPrice(newNode, problem);
  const toName = (type: number): string => typeIndex.types[type]?.name ?? '';
  const [best] = ranked;
  const second = ranked.find((type) => toName(type) !== toName(best ?? -1));
  return {
    instanceTypes: truncateTypes(newNode, ranked, problem).map(toName),
    cheapest: best === undefined ? undefined : offerings.cheapest(best, newNode.where),
    nextBest: second === undefined ? undefined : offerings.cheapest(second, newNode.where),
    where: listOfferedPlaces(newNode, problem),
    overlayAnnotations: createOverlayAnnotations(newNode, problem),
  };
}

/** Lists the zones and capacity types in which some type of the node is offered now. */
function listOfferedPlaces({ types, where }: NewNode, { offerings }: Problem) {
  const isOffered = (at: OfferingScope) => overlaps(types, offerings.offered(at));
  return {
    zones: offerings.zones.filter((_, bit) => isOffered(inZone(where, bit))),
    capacityTypes: CAPACITY_TYPES.filter((_, bit) => isOffered(ofCapacityType(where, bit))),
  };
}

/**
 * If overlays have changed prices, the launch must use the order of these prices instead of EC2's.
 */
function createOverlayAnnotations({ types }: NewNode, { typeIndex }: Problem): Labels {
  const overlays = listBits(types).flatMap((type) => typeIndex.types[type]?.overlay ?? []);
  return {
    ...(overlays.some(({ market }) => market !== undefined) && {
      [PRICE_OVERLAY_ANNOTATION]: 'true',
    }),
    ...(overlays.some(({ capacity }) => capacity) && { [CAPACITY_OVERLAY_ANNOTATION]: 'true' }),
  };
}
