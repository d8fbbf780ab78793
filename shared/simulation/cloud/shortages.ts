import type { Offering } from '../../model/offerings/instance-type.ts';
import { drawFor } from '../../model/random.ts';
import type { EpochMs } from '../../model/time.ts';
import { MINUTE_MS } from '../../model/time.ts';

/** Duration of a random shortage. */
const SHORTAGE_MS = 20 * MINUTE_MS;

export type OfferingFilter = Partial<Pick<Offering, 'instanceType' | 'zone' | 'capacityType'>>;

/** Offerings without capacity: at random, or because a user action said so. */
export interface Shortages {
  isUnavailable(offering: Omit<Offering, 'hourlyUsd'>, now: EpochMs): boolean;
  exhaust(filter: OfferingFilter, until: EpochMs): void;
}

/**
 * @param odds - share of time that an offering is out of capacity, by capacity type
 */
export function createShortages(seed: number, odds: Readonly<Record<Offering['capacityType'], number>>): Shortages {
  let userShortages: readonly { readonly filter: OfferingFilter; readonly until: EpochMs }[] = [];

  return {
    isUnavailable(offering, now) {
      if (userShortages.some(({ filter, until }) => now < until && matches(filter, offering))) return true;
      const slot = Math.floor(now / SHORTAGE_MS);
      const { instanceType, zone, capacityType } = offering;
      const draw = drawFor(seed, `shortage ${instanceType} ${zone} ${capacityType} ${slot}`);
      return draw < odds[capacityType];
    },
    exhaust(filter, until) {
      userShortages = [...userShortages, { filter, until }];
    },
  };
}

const matches = (filter: OfferingFilter, offering: Omit<Offering, 'hourlyUsd'>): boolean =>
  (filter.instanceType ?? offering.instanceType) === offering.instanceType &&
  (filter.zone ?? offering.zone) === offering.zone &&
  (filter.capacityType ?? offering.capacityType) === offering.capacityType;
