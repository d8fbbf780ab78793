import { STARTUP_CHECK_MS } from '../../lifecycle/deadlines.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { awaitAll, forEachConcurrently } from '../../model/concurrency.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import type { CommitOutcome } from '../commit/commit.ts';
import { commitPlan } from '../commit/commit-plan.ts';
import { type LaunchesByClaim, launchGroup } from '../launch/launch-claims.ts';
import { launchIdOf } from '../launch/launch-groups.ts';
import { listActive } from '../node-pool/backoff.ts';
import { reportPoolStatus, reportPoolStatusAfterLaunch } from '../node-pool/status.ts';
import { requestPlan } from '../support/hints.ts';
import { limitToCaps, type PlanningInput, type ProvisioningPlanning } from './decide-provisioning.ts';
import { readCapState, reportWithheldLaunches } from './launch-caps.ts';
import type { ProvisioningSettings } from './observe-batch.ts';
import { announcePlan, toLaunchEvent } from './plan-events.ts';

/** Delay before the next plan if the last one placed nothing. */
const NOTHING_PLACED_RETRY_MS = 10 * SECOND_MS;

export interface IdentifiedPlan extends ProvisioningPlanning {
  readonly id: string;
  readonly tookMs: number;
}

/** Commits the plan, launches its claims, and schedules the next plan for what it leaves open. */
export async function carryOutPlan(
  ports: PortsOf<'provisioning'>,
  planned: IdentifiedPlan,
  input: PlanningInput,
  settings: ProvisioningSettings,
): Promise<CommitOutcome> {
  await scheduleReplanAfterBackoffs(ports, planned, input);
  const { snapshot } = input;
  const { claims, offerings, takenAt: now } = snapshot;
  const launch = { planned: planned.plan.claims, claims, offerings, now };
  const caps = await readCapState(ports, launch);
  const { plan, withheld } = limitToCaps(planned.plan, caps);
  if (withheld) await reportWithheldLaunches(ports, withheld, now);
  const committed = await commitPlan(ports, snapshot, plan);
  if (committed === 'stale') return 'stale';
  let launched: readonly NodeClaim[] = [];
  try {
    const launching = settings.defersLaunches
      ? deferLaunches(ports, committed.records)
      : launchPlannedClaims(ports, committed.records, plan.claims, snapshot);
    await awaitAll([launching, committed.finish()]);
    launched = addLaunches(committed.records, await launching);
    await announcePlan(ports, plan, snapshot);
  } finally {
    // After the launches, so that the record delays none of them.
    const { id, tookMs } = planned;
    await ports.decisionLog.recordDecision({
      kind: 'provisioning',
      id,
      at: now,
      tookMs,
      plan,
      input: { ...input, caps },
    });
  }
  await scheduleReplanOfUnplaced(ports, snapshot, plan);
  if (plan.claims.length > 0) await reportPoolStatusAfterLaunch(ports, snapshot, launched);
  else await reportUnusablePools(ports, snapshot, plan);
  return 'committed';
}

/** The conditions of NodePools tell at once why pods wait for them; all others are left to the sweep. */
async function reportUnusablePools(
  ports: PortsOf<'provisioning'>,
  snapshot: ClusterSnapshot,
  { unplaced }: ProvisioningPlan,
): Promise<void> {
  const refusals = unplaced.flatMap(({ pools }) => pools);
  const unusable = new Set(
    refusals.flatMap(({ pool, reasons: [reason] }) => (reason?.code === 'pool-not-ready' ? [pool] : [])),
  );
  if (unusable.size === 0) return;
  const pools = snapshot.pools.filter(({ name }) => unusable.has(name));
  await reportPoolStatus(ports, { ...snapshot, pools });
}

const addLaunches = (records: readonly StoredNodeClaim[], launches: LaunchesByClaim): readonly NodeClaim[] =>
  records.map(({ claim }) => {
    const launch = launches.get(claim.name);
    return launch ? { ...claim, launch } : claim;
  });

/** Schedules the next plan for when a withheld launch is allowed again, or a back-off ends. */
async function scheduleReplanAfterBackoffs(
  ports: PortsOf<'provisioning'>,
  { retryAt }: Pick<ProvisioningPlanning, 'retryAt'>,
  { snapshot: { takenAt }, backoffs: { launch, placement } }: PlanningInput,
): Promise<void> {
  const ends = listActive([...launch, ...placement], takenAt).map(({ until }) => until);
  const times = retryAt === undefined ? ends : [...ends, retryAt];
  if (times.length > 0) await requestPlan(ports, Math.min(...times));
}

/**
 * Schedules the next plan for the unplaced pods: now if they only wait for the next plan, and when
 * an unavailable offering may have capacity again.
 */
async function scheduleReplanOfUnplaced(
  ports: PortsOf<'provisioning'>,
  { unavailable, takenAt }: ClusterSnapshot,
  { unplaced, claims, placements }: ProvisioningPlan,
): Promise<void> {
  if (unplaced.length === 0) return;
  if (unplaced.some(({ waits }) => waits)) {
    // If nothing was placed, back off; an immediate retry would busy-loop.
    const isNothingPlaced = claims.length + placements.length === 0;
    if (isNothingPlaced) await requestPlan(ports, takenAt + NOTHING_PLACED_RETRY_MS);
    else await ports.queue.send({ topic: 'plan' });
  }
  const next = Math.min(...unavailable.map(({ until }) => until).filter((at) => at > takenAt));
  if (Number.isFinite(next)) await requestPlan(ports, next);
}

const RETRY_AFTER_MS = SECOND_MS;

/**
 * Launches the claims of a committed plan, one request per launch group.
 *
 * @returns the launches, by claim
 */
async function launchPlannedClaims(
  ports: PortsOf<'provisioning'>,
  records: readonly StoredNodeClaim[],
  claims: readonly PlannedClaim[],
  snapshot: ClusterSnapshot,
): Promise<LaunchesByClaim> {
  const launches = new Map<string, Launch>();
  const planned = new Map(claims.map((one) => [one.claim.name, one]));
  const unlaunched = records.filter(({ claim }) => isLaunchable(claim, planned.get(claim.name)));
  const groups = Object.values(Object.groupBy(unlaunched, ({ claim }) => launchIdOf(claim)));
  await Promise.all(
    groups.map(async (group = []) => {
      try {
        const launched = await launchGroup(ports, group);
        for (const [name, launch] of launched) launches.set(name, launch);
        await announceLaunches(ports, launched, planned, snapshot);
        await scheduleFirstChecks(ports, [...launched.keys()]);
      } catch {
        // A failed group neither stops the others nor is lost: its claims' own reconciliation
        // repeats the launch.
        const retryAt = ports.clock.now() + RETRY_AFTER_MS;
        for (const { claim } of group) {
          await ports.queue.send({ topic: 'claim', claim: claim.name }, retryAt);
        }
      }
    }),
  );
  return launches;
}

/**
 * False if another decision has taken the name, or another process has launched the claim already.
 */
const isLaunchable = ({ decision, launch }: NodeClaim, planned: PlannedClaim | undefined): boolean =>
  launch === undefined && decision === planned?.claim.decision;

async function announceLaunches(
  { decisionLog }: PortsOf<'provisioning'>,
  launched: LaunchesByClaim,
  planned: ReadonlyMap<string, PlannedClaim>,
  snapshot: ClusterSnapshot,
): Promise<void> {
  for (const [name, launch] of launched) {
    const plannedClaim = planned.get(name);
    if (plannedClaim) await decisionLog.recordEvent(toLaunchEvent(plannedClaim, launch, snapshot));
  }
}

/** Schedules the first check; each check schedules the next until the node is initialized. */
async function scheduleFirstChecks({ queue, clock }: PortsOf<'provisioning'>, names: readonly string[]): Promise<void> {
  const at = clock.now() + STARTUP_CHECK_MS;
  await Promise.all(names.map((claim) => queue.send({ topic: 'claim', claim }, at)));
}

/** Leaves the launches to the claims' own reconciliation. */
async function deferLaunches(
  { queue }: Pick<Ports<'claim'>, 'queue'>,
  records: readonly StoredNodeClaim[],
): Promise<LaunchesByClaim> {
  const unlaunched = records.filter(({ claim }) => !claim.launch);
  await forEachConcurrently(unlaunched, ({ claim }) => queue.send({ topic: 'claim', claim: claim.name }));
  return new Map();
}
