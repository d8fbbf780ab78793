import { findDecisionTime } from '../../model/decision-time.ts';
import type { LaunchCap } from '../../model/explanations/events.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import type { PlannedClaim } from '../../model/plans.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';
import { DEFAULT_LAUNCH_CAPS, type LaunchCaps } from '../../model/settings.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { CapState, CapUse } from '../../ports/decision-log.ts';
import type { Ports } from '../../ports/ports.ts';
import { MAX_GROUP_SIZE, toDecisionId } from '../launch/launch-groups.ts';
import { requestPlan } from '../support/hints.ts';
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

/** Launches of a plan that a cap withholds. */
export interface WithheldLaunches {
  readonly claims: readonly PlannedClaim[];
  readonly cap: LaunchCap;
}

/** Reports launches that a cap withholds, and schedules the next plan for their pods. */
export async function reportWithheldLaunches(
  ports: Pick<Ports<'plan' | 'sweep'>, 'decisionLog' | 'queue'>,
  { claims, cap }: WithheldLaunches,
  at: EpochMs,
): Promise<void> {
  const pods = claims.flatMap((claim) => claim.pods);
  await recordCapped(ports, cap, { at, nodes: claims.length, pods });
  await requestPlan(ports, findRetryTime(cap, at));
}

type CapPorts = Pick<Ports, 'decisionLog' | 'launchCaps' | 'launches' | 'sweepState' | 'clock'>;

/** The launches that a caller plans, and the fleet that the caps are compared with. */
interface PlannedLaunch<T extends Priced> {
  readonly planned: readonly T[];
  /** Claims that are not terminated and keep running. */
  readonly claims: readonly NodeClaim[];
  readonly offerings: readonly Offering[];
  readonly now: EpochMs;
}

interface DelayableLaunch<T extends Priced> extends PlannedLaunch<T> {
  /** The claims that wait: standalone NodeClaims, or those that are to be replaced. */
  readonly waiting: readonly string[];
}

/**
 * Checks launches that have no pods to plan again: standalone NodeClaims and replacements. All of
 * them fit the caps, or none is launched, which is reported.
 *
 * @returns undefined if they may be launched, else when to try again
 */
export async function findLaunchDelay<T extends Priced>(
  ports: CapPorts,
  launch: DelayableLaunch<T>,
): Promise<EpochMs | undefined> {
  const { planned, waiting, now } = launch;
  const cap = await findReachedCap(ports, launch);
  if (!cap) return undefined;
  await recordCapped(ports, cap, { at: now, nodes: planned.length, claims: waiting });
  return findRetryTime(cap, now);
}

/** The cap that does not allow all of the launches. */
export async function findReachedCap<T extends Priced>(
  ports: Omit<CapPorts, 'decisionLog'>,
  launch: PlannedLaunch<T>,
): Promise<LaunchCap | undefined> {
  return splitByCaps(launch.planned, await readCapState(ports, launch)).cap;
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
  { decisionLog }: Pick<Ports, 'decisionLog'>,
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

/**
 * Completes the caps that the operator set. A cap on the cost of the cluster bounds its size as
 * well, so it replaces the default of `maxNodes`.
 */
export const toLaunchCaps = ({ launchesPerMinute, hourlyUsd, maxNodes }: ExplicitCaps): LaunchCaps => ({
  launchesPerMinute: launchesPerMinute ?? DEFAULT_LAUNCH_CAPS.launchesPerMinute,
  hourlyUsd: hourlyUsd ?? DEFAULT_LAUNCH_CAPS.hourlyUsd,
  ...(hourlyUsd !== undefined && { maxNodes: Number.POSITIVE_INFINITY }),
  ...(maxNodes !== undefined && { maxNodes }),
});

type ExplicitCaps = { readonly [Name in keyof LaunchCaps]?: LaunchCaps[Name] | undefined };

interface Priced {
  readonly cheapest: Pick<PlannedClaim['cheapest'], 'hourlyUsd'>;
}

interface CapResult<T> {
  readonly allowed: readonly T[];
  readonly withheld: readonly T[];
  /** The cap that withholds; `undefined` if nothing is withheld. */
  readonly cap?: LaunchCap;
}

/** Reads the caps and the amounts that they limit, as of now. */
export async function readCapState<T extends Priced>(
  ports: Omit<CapPorts, 'decisionLog'>,
  { planned, claims, offerings, now }: PlannedLaunch<T>,
): Promise<CapState> {
  const { maxNodes, ...caps } = ports.launchCaps ?? DEFAULT_LAUNCH_CAPS;
  const use = await measureUse(ports, caps, planned.length, claims, offerings, now);
  if (maxNodes !== undefined) return { ...caps, ...(Number.isFinite(maxNodes) && { maxNodes }), use };
  const ready = countReadyClaims(claims);
  const isWithinCap = claims.length + planned.length <= computeNodeCap(ready);
  // The stored peak can only raise the cap: most plans need no read.
  const peak = isWithinCap ? ready : Math.max(ready, await readNodePeak(ports));
  return { ...caps, maxNodes: computeNodeCap(peak), peak, use };
}

/** A plan that launches less than this share of the cap does not read the launch records. */
const SMALL_SHARE = 0.1;

/**
 * Nodes that were launched within the last minute count also if they have ended since: the launch
 * records have them. A record that cannot be read counts as the most that it may have launched. Small
 * plans save that read; a loop of small plans whose nodes end at once is limited by its back-offs.
 */
async function measureUse(
  { launches }: Pick<Ports, 'launches'>,
  { launchesPerMinute }: Pick<LaunchCaps, 'launchesPerMinute'>,
  planned: number,
  claims: readonly NodeClaim[],
  offerings: readonly Offering[],
  now: EpochMs,
): Promise<CapUse> {
  const running = computeCapUse(claims, offerings, now);
  if (running.launches + planned <= SMALL_SHARE * launchesPerMinute) return running;

  const names = new Set(claims.map(({ name }) => name));
  const { records, unreadable } = await launches.list();
  const ended = records
    .flatMap(({ record }) => Object.entries(record.launches))
    .filter(([claim, { at }]) => at > now - MINUTE_MS && !names.has(claim));
  const possible = unreadable.reduce((sum, { name }) => sum + countPossibleLaunches(name, now), 0);
  return { ...running, launches: running.launches + ended.length + possible };
}

/** A record without the time of a decision belongs to one standalone NodeClaim. */
function countPossibleLaunches(recordId: string, now: EpochMs): number {
  const decidedAt = findDecisionTime(toDecisionId(recordId));
  if (decidedAt === undefined) return 1;
  return decidedAt + SECOND_MS > now - MINUTE_MS ? MAX_GROUP_SIZE : 0;
}

/** A claim that waits for its instance counts at the lowest price that it can get. */
export function computeCapUse(claims: readonly NodeClaim[], offerings: readonly Offering[], now: EpochMs): CapUse {
  const areLaunched = claims.every(({ launch }) => launch !== undefined);
  const offeringsByType = Map.groupBy(areLaunched ? [] : offerings, (offering) => offering.instanceType);
  const priceOf = (claim: NodeClaim): number => claim.launch?.hourlyUsd ?? findLowestPrice(claim, offeringsByType);
  return {
    launches: claims.filter(({ createdAt }) => createdAt > now - MINUTE_MS).length,
    usd: claims.reduce((sum, claim) => sum + priceOf(claim), 0),
    nodes: claims.length,
  };
}

/** 0 if none of its offerings is sold any more: such a claim gets no instance. */
function findLowestPrice(
  { instanceTypes, requirements }: NodeClaim,
  offeringsByType: ReadonlyMap<string, readonly Offering[]>,
): number {
  const limits = toRequirements(requirements.filter(({ key }) => OFFERING_KEYS.includes(key)));
  const prices = instanceTypes
    .flatMap((instanceType) => offeringsByType.get(instanceType) ?? [])
    .filter(({ zone, capacityType }) =>
      matchesLabels(limits, { [ZONE_LABEL]: zone, [CAPACITY_TYPE_LABEL]: capacityType }),
    )
    .map(({ hourlyUsd }) => hourlyUsd);
  return prices.length > 0 ? Math.min(...prices) : 0;
}

const OFFERING_KEYS: readonly string[] = [ZONE_LABEL, CAPACITY_TYPE_LABEL];

/** Splits the claims of a plan, in order, at the first one that exceeds a cap. */
export function splitByCaps<T extends Priced>(planned: readonly T[], caps: CapState): CapResult<T> {
  const { use } = caps;
  let { usd } = use;
  for (const [count, { cheapest }] of planned.entries()) {
    usd += cheapest.hourlyUsd;
    const cap = findExceededCap(caps, {
      launches: use.launches + count + 1,
      usd,
      nodes: use.nodes + count + 1,
    });
    if (cap) return { allowed: planned.slice(0, count), withheld: planned.slice(count), cap };
  }
  return { allowed: planned, withheld: [] };
}

function findExceededCap(
  { launchesPerMinute, hourlyUsd, maxNodes = Number.POSITIVE_INFINITY, peak }: CapState,
  { launches, usd, nodes }: CapUse,
): LaunchCap | undefined {
  if (launches > launchesPerMinute) return { name: 'launchesPerMinute', limit: launchesPerMinute };
  if (usd > hourlyUsd) return { name: 'maxHourlyUsd', limit: hourlyUsd };
  if (nodes <= maxNodes) return undefined;
  return { name: 'maxNodes', limit: maxNodes, ...(peak !== undefined && { peak }) };
}
