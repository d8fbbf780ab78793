import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { LaunchCap } from '../../model/explanations/events.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { LaunchCaps, Ports } from '../../ports/ports.ts';
import { computeNodeCap, countReadyClaims, readNodePeak } from './fleet-peak.ts';

/**
 * Caps limit the launches of the whole cluster: those for pods, replacements, static pools and
 * standalone NodeClaims.
 *
 * - `launchesPerMinute` and `hourlyUsd` are hard: nothing is launched above them.
 * - `maxNodes` is hard if the operator set it. By default it follows the fleet (`fleet-peak.ts`):
 *   three times the largest number of ready nodes of the last day, at least 20. This default slows a
 *   growing cluster down and never stops it: as soon as the withheld nodes' predecessors are ready,
 *   the cap is three times their number. A cluster without nodes gets 20, then 60, 180 and 540, each
 *   after the time that nodes take to start. Nodes that do not start raise no cap.
 */

/** Hard caps stay reached for a while, until launches age out or an operator raises them. */
const RETRY_AFTER_MS = 30 * SECOND_MS;
/** The default of `maxNodes` rises whenever nodes become ready. */
const NODES_RETRY_AFTER_MS = 10 * SECOND_MS;
/** An event names at most so many pods. */
const MAX_NAMED_PODS = 25;

/** Limits the plan to the cluster's caps. The withheld claims are reported and planned again. */
export async function applyLaunchCaps(
  ports: CapPorts & Pick<Ports, 'queue'>,
  { claims, takenAt }: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<ProvisioningPlan> {
  const { allowed, withheld, cap } = await splitByPortCaps(ports, plan.claims, claims, takenAt);
  if (!cap) return plan;

  const pods = withheld.flatMap((claim) => claim.pods);
  await recordCapped(ports, cap, { at: takenAt, nodes: withheld.length, pods });
  await ports.queue.send({ topic: 'plan' }, findRetryTime(cap, takenAt));
  const hourlyUsd = allowed.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  return { ...plan, claims: allowed, hourlyUsd };
}

type CapPorts = Pick<Ports, 'decisionLog' | 'launchCaps' | 'sweepState' | 'clock'>;

interface DelayableLaunch<T extends Priced> {
  readonly planned: readonly T[];
  /** Claims that are not terminated and keep running. */
  readonly claims: readonly NodeClaim[];
  /** The claims that wait: standalone NodeClaims, or those that are to be replaced. */
  readonly waiting: readonly string[];
  readonly now: EpochMs;
}

/**
 * Checks launches that have no pods to plan again: standalone NodeClaims and replacements. All of
 * them fit the caps, or none is launched, which is reported.
 *
 * @returns undefined if they may be launched, else when to try again
 */
export async function findLaunchDelay<T extends Priced>(
  ports: CapPorts,
  { planned, claims, waiting, now }: DelayableLaunch<T>,
): Promise<EpochMs | undefined> {
  const { cap } = await splitByPortCaps(ports, planned, claims, now);
  if (!cap) return undefined;
  await recordCapped(ports, cap, { at: now, nodes: planned.length, claims: waiting });
  return findRetryTime(cap, now);
}

const findRetryTime = (cap: LaunchCap, now: EpochMs): EpochMs =>
  now + (cap.peak === undefined ? RETRY_AFTER_MS : NODES_RETRY_AFTER_MS);

interface CappedLaunches {
  readonly at: EpochMs;
  readonly nodes: number;
  readonly pods?: readonly PodKey[];
  readonly claims?: readonly string[];
}

const recordCapped = (
  { decisionLog }: CapPorts,
  cap: LaunchCap,
  { at, nodes, pods = [], claims = [] }: CappedLaunches,
): Promise<void> =>
  decisionLog.recordEvent({
    kind: 'capped',
    at,
    nodes,
    cap,
    pods: pods.slice(0, MAX_NAMED_PODS),
    podCount: pods.length,
    claims,
  });

/** Far above what a cluster of a thousand nodes needs on a busy day. */
export const DEFAULT_LAUNCH_CAPS: LaunchCaps = { launchesPerMinute: 1_000, hourlyUsd: 10_000 };

/**
 * Completes the caps that the operator set. A cap on the cost of the cluster bounds its size as
 * well, so it replaces the default of `maxNodes`.
 */
export const toLaunchCaps = (explicit: Partial<LaunchCaps>): LaunchCaps => ({
  ...DEFAULT_LAUNCH_CAPS,
  ...(explicit.hourlyUsd !== undefined && { maxNodes: Number.POSITIVE_INFINITY }),
  ...explicit,
});

interface Priced {
  readonly cheapest: Pick<PlannedClaim['cheapest'], 'hourlyUsd'>;
}

interface CapResult<T> {
  readonly allowed: readonly T[];
  readonly withheld: readonly T[];
  /** The cap that withholds; `undefined` if nothing is withheld. */
  readonly cap?: LaunchCap;
}

async function splitByPortCaps<T extends Priced>(
  ports: CapPorts,
  planned: readonly T[],
  claims: readonly NodeClaim[],
  now: EpochMs,
): Promise<CapResult<T>> {
  const { launchCaps = DEFAULT_LAUNCH_CAPS } = ports;
  if (planned.length === 0 || launchCaps.maxNodes !== undefined) {
    return splitByCaps(planned, claims, launchCaps, now);
  }
  const ready = countReadyClaims(claims);
  const isWithinCap = claims.length + planned.length <= computeNodeCap(ready);
  // The stored peak can only raise the cap: most plans need no read.
  const peak = isWithinCap ? ready : Math.max(ready, await readNodePeak(ports));
  return splitByCaps(planned, claims, { ...launchCaps, maxNodes: computeNodeCap(peak), peak }, now);
}

/** Caps of which `maxNodes` follows the fleet if there is a `peak`. */
interface EffectiveCaps extends LaunchCaps {
  readonly peak?: number;
}

/**
 * Splits the claims of a plan, in order, at the first one that exceeds a cap.
 *
 * @param claims - claims that are not terminated
 */
export function splitByCaps<T extends Priced>(
  planned: readonly T[],
  claims: readonly NodeClaim[],
  caps: EffectiveCaps,
  now: EpochMs,
): CapResult<T> {
  const recentLaunches = claims.filter(({ createdAt }) => createdAt > now - MINUTE_MS).length;
  let usd = claims.reduce((sum, { launch }) => sum + (launch?.hourlyUsd ?? 0), 0);
  for (const [count, { cheapest }] of planned.entries()) {
    usd += cheapest.hourlyUsd;
    const cap = findExceededCap(caps, {
      launches: recentLaunches + count + 1,
      usd,
      nodes: claims.length + count + 1,
    });
    if (cap) return { allowed: planned.slice(0, count), withheld: planned.slice(count), cap };
  }
  return { allowed: planned, withheld: [] };
}

interface FleetAfterLaunch {
  /** Launches of the last minute. */
  readonly launches: number;
  readonly usd: number;
  readonly nodes: number;
}

function findExceededCap(
  { launchesPerMinute, hourlyUsd, maxNodes = Number.POSITIVE_INFINITY, peak }: EffectiveCaps,
  { launches, usd, nodes }: FleetAfterLaunch,
): LaunchCap | undefined {
  if (launches > launchesPerMinute) return { name: 'launchesPerMinute', limit: launchesPerMinute };
  if (usd > hourlyUsd) return { name: 'maxHourlyUsd', limit: hourlyUsd };
  if (nodes <= maxNodes) return undefined;
  return { name: 'maxNodes', limit: maxNodes, ...(peak !== undefined && { peak }) };
}
