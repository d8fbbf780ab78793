import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts';
import type { OfferingPart, UnavailableOffering } from './instance-type.ts';

/** How long an offering counts as unavailable: the first time, and at most. */
export const FIRST_SHORTAGE_MS = 3 * MINUTE_MS;
export const MAX_SHORTAGE_MS = 30 * MINUTE_MS;
/** After this long without a shortage, the next one lasts one step shorter. */
const QUIET_MS = HOUR_MS;
/**
 * Reports within this time of the first one tell nothing new. When EC2 takes hundreds of instances of a
 * few offerings at once, the process that handles each notice would otherwise write the same few rows.
 */
const REPEATED_WITHIN_MS = 10 * SECOND_MS;

/**
 * The stored shortage of some offerings: how often it occurred recently, and until when it lasts.
 */
export interface Shortage {
  /** 1 for the first of a series. */
  readonly times: number;
  readonly until: EpochMs;
}

/**
 * Computes the shortage after EC2 has reported insufficient capacity again. Each shortage of a
 * series lasts twice as long as the one before, and each quiet hour takes one step back. A report
 * while a shortage lasts, from launches in flight, belongs to the same shortage and restarts it.
 *
 * @param previous - the stored shortage; `undefined` if there is none
 * @returns `previous` itself if it was reported moments ago
 */
export function markShort(previous: Shortage | undefined, now: EpochMs): Shortage {
  if (previous && isRepeated(previous, now)) return previous;
  const times = countConsecutive(previous, now);
  return { times, until: Math.max(now + computeLengthMs(times), previous?.until ?? 0) };
}

const isRepeated = ({ times, until }: Shortage, now: EpochMs): boolean =>
  until >= now + computeLengthMs(times) - REPEATED_WITHIN_MS;

function countConsecutive(previous: Shortage | undefined, now: EpochMs): number {
  if (!previous) return 1;
  if (now < previous.until) return previous.times;
  const forgotten = Math.floor((now - previous.until) / QUIET_MS);
  // A longer series would change nothing.
  return Math.min(Math.max(previous.times - forgotten, 0) + 1, MAX_TIMES);
}

const computeLengthMs = (times: number): number => Math.min(FIRST_SHORTAGE_MS * 2 ** (times - 1), MAX_SHORTAGE_MS);

const MAX_TIMES = Math.ceil(Math.log2(MAX_SHORTAGE_MS / FIRST_SHORTAGE_MS)) + 1;

/** Computes when a shortage no longer influences the next one. */
export const computeForgottenAt = ({ times, until }: Shortage): EpochMs => until + times * QUIET_MS;

/** Formats a key for these offerings: `m7i.large#us-east-1a#spot`, with `*` for any value. */
export const shortageKey = (part: OfferingPart): string => {
  const { instanceType = '*', zone = '*', capacityType = '*', placementGroup = [], reservationId = [] } = part;
  return [instanceType, zone, capacityType].concat(placementGroup, reservationId).join('#');
};

/** Returns when the last of the shortages ends; `undefined` if there are none. */
export const findLastEnd = (shortages: readonly UnavailableOffering[]): EpochMs | undefined =>
  shortages.length === 0 ? undefined : Math.max(...shortages.map(({ until }) => until));
