import { type Bitset, hasBit } from '../data-structures/bitset.ts';
import { type OfferingIndex, type OfferingScope, SPOT } from './offering-index.ts';

/**
 * The spot offerings that a claim keeps open where so many suit it: with few to choose from, EC2
 * takes what it gives back soon.
 *
 * @see Karpenter, which replaces spot by spot only with so many types to choose from
 */
export const MIN_SPOT_OFFERINGS = 15;

/** Instance types, and the zones and capacity types in which they may be launched. */
interface TypesInPlaces {
  readonly types: Bitset;
  readonly where: OfferingScope;
}

interface OfferedMarket {
  readonly offerings: OfferingIndex;
}

/** Counts the open spot offerings; 0 for types that may not be spot. */
export const countSpotOfferings = ({ types, where }: TypesInPlaces, { offerings }: OfferedMarket): number =>
  (where.capacityTypes & SPOT) === 0 ? 0 : offerings.count(types, { ...where, capacityTypes: SPOT }, true);

/** Numbers of the types that can be had, cheapest first. */
export const listTypesByPrice = ({ types, where }: TypesInPlaces, { offerings }: OfferedMarket): readonly number[] =>
  offerings.byPrice(where).filter((type) => hasBit(types, type));

/** Finds the lowest price of the types, in USD per hour; Infinity if none is offered. */
export const findLowestUsd = ({ types, where }: TypesInPlaces, { offerings }: OfferedMarket): number =>
  offerings.lowestUsd(types, where);
