import { type EpochMs, HOUR_MS, MINUTE_MS } from '../time.ts';
import type { OfferingPart, UnavailableOffering } from './instance-type.ts';

/** How long EC2 is not asked again: the first time, and at most. */
export const FIRST_SHORTAGE_MS = 3 * MINUTE_MS;
export const MAX_SHORTAGE_MS = 30 * MINUTE_MS;
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
 * @param previous - what is remembered; absent: nothing
 */
export function markShort(previous: Shortage | undefined, now: EpochMs): Shortage {
  const times = countConsecutive(previous, now);
  return { times, until: Math.max(now + computeLengthMs(times), previous?.until ?? 0) };
}

function countConsecutive(previous: Shortage | undefined, now: EpochMs): number {
  if (!previous) return 1;
  if (now < previous.until) return previous.times;
  const forgotten = Math.floor((now - previous.until) / QUIET_MS);
  // No longer row changes anything.
  return Math.min(Math.max(previous.times - forgotten, 0) + 1, MAX_TIMES);
}

const computeLengthMs = (times: number): number =>
  Math.min(FIRST_SHORTAGE_MS * 2 ** (times - 1), MAX_SHORTAGE_MS);

const MAX_TIMES = Math.ceil(Math.log2(MAX_SHORTAGE_MS / FIRST_SHORTAGE_MS)) + 1;

/** From when on a shortage is as if it had never been. */
export const computeForgottenAt = ({ times, until }: Shortage): EpochMs => until + times * QUIET_MS;

/** Equal for equal parts of the catalogue: `m7i.large#us-east-1a#spot`, `*` for any. */
export const shortageKey = (part: OfferingPart): string => {
  const { instanceType = '*', zone = '*', capacityType = '*', placementGroup = [] } = part;
  return [instanceType, zone, capacityType].concat(placementGroup).join('#');
};

/** Until when all of the shortages last; absent: there are none. */
export const findLastEnd = (shortages: readonly UnavailableOffering[]): EpochMs | undefined =>
  shortages.length === 0 ? undefined : Math.max(...shortages.map(({ until }) => until));
