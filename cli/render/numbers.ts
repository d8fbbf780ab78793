import { formatShortDuration } from '../../shared/model/duration.ts';
import { SECOND_MS } from '../../shared/model/time.ts';

/** `4,980`, for whole numbers. `toLocaleString` would load the data of all languages for it. */
export const countText = (count: number): string => `${count}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 node`, `4,980 nodes`. */
export const counted = (count: number, noun: string): string => `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `$318.42`. */
export const usdText = (usd: number): string =>
  `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** `81 %`. */
export const shareText = (share: number): string => `${Math.round(share * 100)} %`;

/** `+5.8 %`. */
export const changeText = (change: number): string => `${change < 0 ? '-' : '+'}${Math.abs(change * 100).toFixed(1)} %`;

/** `1m21s`, `47s`, `24h`; below a second `800ms`. */
export const durationText = (durationMs: number): string =>
  durationMs < SECOND_MS ? `${Math.round(durationMs)}ms` : formatShortDuration(durationMs);
