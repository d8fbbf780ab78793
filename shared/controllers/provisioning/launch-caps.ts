import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { LaunchCaps, Ports } from '../../ports/ports.ts';

/** Caps stay reached for a while, until launches age out or an operator raises them. */
const RETRY_AFTER_MS = 30 * SECOND_MS;

/** Limits the plan to the cluster's caps. The withheld claims are reported and planned again. */
export async function applyLaunchCaps(
  { queue, decisionLog, launchCaps = DEFAULT_LAUNCH_CAPS }: CapPorts & Pick<Ports, 'queue'>,
  { claims, takenAt }: ClusterSnapshot,
  plan: ProvisioningPlan,
  caps: LaunchCaps = launchCaps,
): Promise<ProvisioningPlan> {
  const { allowed, withheld } = splitByCaps(plan.claims, claims, caps, takenAt);
  if (withheld.length === 0) return plan;

  await decisionLog.recordEvent({ kind: 'capped', at: takenAt, nodes: withheld.length, ...caps });
  await queue.send({ topic: 'plan' }, takenAt + RETRY_AFTER_MS);
  const hourlyUsd = allowed.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  return { ...plan, claims: allowed, hourlyUsd };
}

type CapPorts = Pick<Ports, 'decisionLog' | 'launchCaps'>;

/**
 * Checks launches that have no pods to plan again: standalone NodeClaims and replacements. All of
 * them fit the caps, or none is launched, which is reported.
 *
 * @param claims - claims that are not terminated and keep running
 * @returns undefined if they may be launched, else when to try again
 */
export async function findLaunchDelay<T extends Priced>(
  { decisionLog, launchCaps: caps = DEFAULT_LAUNCH_CAPS }: CapPorts,
  planned: readonly T[],
  claims: readonly NodeClaim[],
  now: EpochMs,
): Promise<EpochMs | undefined> {
  const { withheld } = splitByCaps(planned, claims, caps, now);
  if (withheld.length === 0) return undefined;
  await decisionLog.recordEvent({ kind: 'capped', at: now, nodes: planned.length, ...caps });
  return now + RETRY_AFTER_MS;
}

/** Far above what a cluster of a thousand nodes needs on a busy day. */
export const DEFAULT_LAUNCH_CAPS: LaunchCaps = { launchesPerMinute: 1_000, hourlyUsd: 10_000 };

interface Priced {
  readonly cheapest: Pick<PlannedClaim['cheapest'], 'hourlyUsd'>;
}

interface CapResult<T> {
  readonly allowed: readonly T[];
  readonly withheld: readonly T[];
}

/**
 * Splits the claims of a plan, in order, at the first one that exceeds a cap.
 *
 * @param claims - claims that are not terminated
 */
export function splitByCaps<T extends Priced>(
  planned: readonly T[],
  claims: readonly NodeClaim[],
  caps: LaunchCaps,
  now: EpochMs,
): CapResult<T> {
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
