import { type EpochMs, HOUR_MS, MINUTE_MS } from '../time.ts';
import type { OfferingPart, UnavailableOffering } from './instance-type.ts';

/** How long EC2 is not asked again: the first time, and at most. */
export const FIRST_SHORTAGE_MS = 3 * MINUTE_MS;
export const LONGEST_SHORTAGE_MS = 30 * MINUTE_MS;
/** So long without a shortage, and one is forgotten. */
const QUIET_MS = HOUR_MS;

/** What is remembered of a part of the catalogue that ran dry: how often lately, and until when. */
export interface Shortage {
  /** 1 for the first of a row. */
  readonly times: number;
  readonly until: EpochMs;
}

/**
 * The shortage after EC2 said again that there is none: each of a row lasts twice as long as the one
 * before, and each quiet hour makes the next one shorter by one step. Told again while one lasts, as
 * by launches that were under way, it is the same shortage, and starts over.
 *
 * @param before - what is remembered; absent: nothing
 */
export function markShort(before: Shortage | undefined, now: EpochMs): Shortage {
  const times = timesOf(before, now);
  return { times, until: Math.max(now + lengthOf(times), before?.until ?? 0) };
}

function timesOf(before: Shortage | undefined, now: EpochMs): number {
  if (!before) return 1;
  if (now < before.until) return before.times;
  const forgotten = Math.floor((now - before.until) / QUIET_MS);
  // No longer row changes anything.
  return Math.min(Math.max(before.times - forgotten, 0) + 1, MOST_TIMES);
}

const lengthOf = (times: number): number =>
  Math.min(FIRST_SHORTAGE_MS * 2 ** (times - 1), LONGEST_SHORTAGE_MS);

const MOST_TIMES = Math.ceil(Math.log2(LONGEST_SHORTAGE_MS / FIRST_SHORTAGE_MS)) + 1;

/** From when on a shortage is as if it had never been. */
export const forgottenAt = ({ times, until }: Shortage): EpochMs => until + times * QUIET_MS;

/** Equal for equal parts of the catalogue: `m7i.large#us-east-1a#spot`, `*` for any. */
export const shortageKey = (part: OfferingPart): string => {
  const { instanceType = '*', zone = '*', capacityType = '*', placementGroup = [] } = part;
  return [instanceType, zone, capacityType].concat(placementGroup).join('#');
};

/** Until when all of the shortages last; absent: there are none. */
export const lastEnd = (shortages: readonly UnavailableOffering[]): EpochMs | undefined =>
  shortages.length === 0 ? undefined : Math.max(...shortages.map(({ until }) => until));
