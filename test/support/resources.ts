import { ownValue } from '../../shared/model/own-value.ts';
import type { Resources } from '../../shared/model/resources.ts';

/** Lists the resources of `requests` that `free` cannot provide, in the order of `requests`. */
export const listShortages = (requests: Resources, free: Resources): string[] =>
  Object.keys(requests).filter((name) => {
    const requested = ownValue(requests, name) ?? 0;
    return requested > 0 && requested > (ownValue(free, name) ?? 0);
  });

/** True if `free` provides `requests`. Nothing fits if any resource of `free` is negative. */
export const fits = (requests: Resources, free: Resources): boolean =>
  Object.values(free).every((amount) => amount >= 0) && listShortages(requests, free).length === 0;
