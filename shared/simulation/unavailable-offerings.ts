import type { UnavailableOffering } from '../model/instance-type.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';

export function simUnavailableOfferings(): UnavailableOfferings {
  const known = new Map<string, UnavailableOffering>();

  return {
    async list(now) {
      for (const [key, { until }] of known) if (until <= now) known.delete(key);
      return [...known.values()];
    },
    async add(offerings) {
      for (const offering of offerings) {
        const key = keyOf(offering);
        const before = known.get(key);
        if (!before || before.until < offering.until) known.set(key, offering);
      }
    },
  };
}

const keyOf = ({ instanceType, zone, capacityType }: UnavailableOffering): string =>
  JSON.stringify([instanceType, zone, capacityType]);
