import type { Offering } from '../model/instance-type.ts';

export interface FleetChoice {
  readonly chosen?: Offering;
  /** Better ones that EC2 had none of, best first. */
  readonly dry: readonly Offering[];
}

/**
 * The offering that CreateFleet takes: spot before on-demand where both are allowed.
 *
 * @param rank - the lower the better, within a capacity type
 */
export function chooseOffering(
  offerings: readonly Offering[],
  rank: (offering: Offering) => number,
  isDry: (offering: Offering) => boolean,
): FleetChoice {
  const ranked = offerings
    .map((offering) => ({ offering, score: rank(offering) }))
    .toSorted((a, b) => order(a.offering) - order(b.offering) || a.score - b.score || byName(a, b));
  const dry: Offering[] = [];
  for (const { offering } of ranked) {
    if (!isDry(offering)) return { chosen: offering, dry };
    dry.push(offering);
  }
  return { dry };
}

const CAPACITY_ORDER = ['reserved', 'spot', 'on-demand'];
const order = ({ capacityType }: Offering): number => CAPACITY_ORDER.indexOf(capacityType);

const byName = (a: { offering: Offering }, b: { offering: Offering }): number =>
  nameOf(a.offering) < nameOf(b.offering) ? -1 : 1;
const nameOf = ({ instanceType, zone }: Offering): string => `${instanceType} ${zone}`;
