import type { Offering } from '../model/instance-type.ts';
import type { EpochMs } from '../model/time.ts';
import { MINUTE_MS } from '../model/time.ts';
import { drawOf } from './random.ts';

/** How long a shortage that comes by itself lasts. */
const SHORTAGE_MS = 20 * MINUTE_MS;

export type OfferingFilter = Partial<Pick<Offering, 'instanceType' | 'zone' | 'capacityType'>>;

/** What EC2 has none of: by chance for a while, or because somebody said so. */
export interface Shortages {
  isDry(offering: Omit<Offering, 'hourlyUsd'>, now: EpochMs): boolean;
  runDry(filter: OfferingFilter, until: EpochMs): void;
}

/** @param odds - share of time that an offering is out of capacity, by capacity type */
export function createShortages(
  seed: number,
  odds: Readonly<Record<Offering['capacityType'], number>>,
): Shortages {
  let ordered: readonly { readonly filter: OfferingFilter; readonly until: EpochMs }[] = [];

  return {
    isDry(offering, now) {
      if (ordered.some(({ filter, until }) => now < until && matches(filter, offering)))
        return true;
      const slot = Math.floor(now / SHORTAGE_MS);
      const { instanceType, zone, capacityType } = offering;
      const draw = drawOf(seed, `shortage ${instanceType} ${zone} ${capacityType} ${slot}`);
      return draw < odds[capacityType];
    },
    runDry(filter, until) {
      ordered = [...ordered, { filter, until }];
    },
  };
}

const matches = (filter: OfferingFilter, offering: Omit<Offering, 'hourlyUsd'>): boolean =>
  (filter.instanceType ?? offering.instanceType) === offering.instanceType &&
  (filter.zone ?? offering.zone) === offering.zone &&
  (filter.capacityType ?? offering.capacityType) === offering.capacityType;
