import type { Offering } from '../../model/offerings/instance-type.ts';

export interface OfferingChoice {
  readonly chosen?: Offering;
  /** Better offerings without capacity, best first. */
  readonly unavailable: readonly Offering[];
}

/**
 * Chooses an offering as CreateFleet does: reserved before spot before on-demand, then by rank.
 *
 * @param rank - lower is better; compared within a capacity type
 */
export function chooseOffering(
  offerings: readonly Offering[],
  rank: (offering: Offering) => number,
  isUnavailable: (offering: Offering) => boolean,
): OfferingChoice {
  const ranked = offerings
    .map((offering) => ({ offering, score: rank(offering) }))
    .toSorted(
      (a, b) => capacityTypeRank(a.offering) - capacityTypeRank(b.offering) || a.score - b.score || byName(a, b),
    );
  const unavailable: Offering[] = [];
  for (const { offering } of ranked) {
    if (!isUnavailable(offering)) return { chosen: offering, unavailable };
    unavailable.push(offering);
  }
  return { unavailable };
}

const CAPACITY_ORDER = ['reserved', 'spot', 'on-demand'];
const capacityTypeRank = ({ capacityType }: Offering): number => CAPACITY_ORDER.indexOf(capacityType);

const byName = (a: { offering: Offering }, b: { offering: Offering }): number =>
  nameOf(a.offering) < nameOf(b.offering) ? -1 : 1;
const nameOf = ({ instanceType, zone }: Offering): string => `${instanceType} ${zone}`;
