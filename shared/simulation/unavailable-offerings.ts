import type { OfferingPart, UnavailableOffering } from '../model/instance-type.ts';
import { forgottenAt, markShort, type Shortage, shortageKey } from '../model/shortages.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';

interface Remembered {
  readonly part: OfferingPart;
  readonly shortage: Shortage;
}

const toUnavailable = ({ part, shortage }: Remembered): UnavailableOffering => ({
  ...part,
  until: shortage.until,
});

export function simUnavailableOfferings(): UnavailableOfferings {
  const known = new Map<string, Remembered>();

  return {
    async list(now) {
      for (const [key, { shortage }] of known) {
        if (forgottenAt(shortage) <= now) known.delete(key);
      }
      return [...known.values()].filter(({ shortage }) => shortage.until > now).map(toUnavailable);
    },
    async mark(dry, now) {
      return dry.map((part) => {
        const key = shortageKey(part);
        const remembered = { part, shortage: markShort(known.get(key)?.shortage, now) };
        known.set(key, remembered);
        return toUnavailable(remembered);
      });
    },
  };
}
