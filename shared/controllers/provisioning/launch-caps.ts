import type { NodeClaim } from '../../model/node-claim.ts';
import type { PlannedClaim } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';

/** What a cluster may not exceed, whatever its pools allow: the brake for what nobody foresaw. */
export interface LaunchCaps {
  readonly launchesPerMinute: number;
  /** Of all instances together, at what they were launched for. */
  readonly hourlyUsd: number;
}

/** Far above what a cluster of a thousand nodes does on a busy day. */
export const DEFAULT_CAPS: LaunchCaps = { launchesPerMinute: 1_000, hourlyUsd: 10_000 };

export interface Capped {
  readonly allowed: readonly PlannedClaim[];
  readonly held: readonly PlannedClaim[];
}

/**
 * The claims of a plan, in its order, as far as they stay within the caps.
 *
 * @param claims - not terminated
 */
export function withinCaps(
  planned: readonly PlannedClaim[],
  claims: readonly NodeClaim[],
  caps: LaunchCaps,
  now: EpochMs,
): Capped {
  const lately = claims.filter(({ createdAt }) => createdAt > now - MINUTE_MS).length;
  const spentUsd = claims.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);
  const costs = planned.map(({ cheapest }) => cheapest.hourlyUsd);
  let count = 0;
  let usd = spentUsd;
  for (const cost of costs) {
    if (lately + count + 1 > caps.launchesPerMinute || usd + cost > caps.hourlyUsd) break;
    count += 1;
    usd += cost;
  }
  return { allowed: planned.slice(0, count), held: planned.slice(count) };
}
