import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';

/** Caps stay reached for a while, until launches age out or an operator raises them. */
const RETRY_AFTER_MS = 30 * SECOND_MS;

/** Limits the plan to the cluster's caps. The withheld claims are reported and planned again. */
export async function applyLaunchCaps(
  { queue, decisionLog }: Pick<Ports, 'queue' | 'decisionLog'>,
  { claims, takenAt }: ClusterSnapshot,
  plan: ProvisioningPlan,
  caps: LaunchCaps = DEFAULT_LAUNCH_CAPS,
): Promise<ProvisioningPlan> {
  const { allowed, withheld } = splitByCaps(plan.claims, claims, caps, takenAt);
  if (withheld.length === 0) return plan;

  await decisionLog.recordEvent({ kind: 'capped', at: takenAt, nodes: withheld.length, ...caps });
  await queue.send({ topic: 'plan' }, takenAt + RETRY_AFTER_MS);
  const hourlyUsd = allowed.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  return { ...plan, claims: allowed, hourlyUsd };
}

/**
 * Limits for the whole cluster, whatever its pools allow: the last safeguard against runaway cost.
 */
export interface LaunchCaps {
  readonly launchesPerMinute: number;
  /** Total price of all instances, as they were launched. */
  readonly hourlyUsd: number;
}

/** Far above what a cluster of a thousand nodes needs on a busy day. */
export const DEFAULT_LAUNCH_CAPS: LaunchCaps = { launchesPerMinute: 1_000, hourlyUsd: 10_000 };

interface CapResult {
  readonly allowed: readonly PlannedClaim[];
  readonly withheld: readonly PlannedClaim[];
}

/**
 * Splits the claims of a plan, in order, at the first one that exceeds a cap.
 *
 * @param claims - claims that are not terminated
 */
export function splitByCaps(
  planned: readonly PlannedClaim[],
  claims: readonly NodeClaim[],
  caps: LaunchCaps,
  now: EpochMs,
): CapResult {
  const recentLaunches = claims.filter(({ createdAt }) => createdAt > now - MINUTE_MS).length;
  const spentUsd = claims.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);
  const costs = planned.map(({ cheapest }) => cheapest.hourlyUsd);
  let count = 0;
  let usd = spentUsd;
  for (const cost of costs) {
    if (recentLaunches + count + 1 > caps.launchesPerMinute || usd + cost > caps.hourlyUsd) break;
    count += 1;
    usd += cost;
  }
  return { allowed: planned.slice(0, count), withheld: planned.slice(count) };
}
