import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { awaitAll } from '../../model/concurrency.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { ProvisioningPlan } from '../../model/plans.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import { listBufferPods } from '../../scheduling/pods/buffer-pods.ts';
import { areStaticNodesMissing } from '../../scheduling/static-claims.ts';
import type { CommitOutcome } from '../commit/commit.ts';
import { commitPlan } from '../commit/commit-plan.ts';
import type { LaunchesByClaim } from '../launch/launch-claims.ts';
import { listActive } from '../node-pool/backoff.ts';
import { reportPoolStatusAfterLaunch } from '../node-pool/status.ts';
import { createDecisionId } from '../support/decision-id.ts';
import { requestPlan } from '../support/hints.ts';
import { isOwner } from '../support/ownership.ts';
import { hasTimeFor } from '../support/time-left.ts';
import {
  limitToCaps,
  type PlanningInput,
  type ProvisioningPlanning,
  planLaunches,
} from './decide-provisioning.ts';
import { readCapState, reportWithheldLaunches } from './launch-caps.ts';
import { deferLaunches, launchPlannedClaims } from './launch-planned-claims.ts';
import {
  DEFAULT_PROVISIONING_SETTINGS,
  observeBatch,
  type ProvisioningSettings,
} from './observe-batch.ts';
import { recordPlacements } from './placement-backoff.ts';
import { announcePlan } from './plan-events.ts';

/** After three commit conflicts, stop and reschedule: another planner is active. */
const MAX_COMMIT_TRIES = 3;
const RETRY_AFTER_MS = SECOND_MS;
/** An open batch, a plan of the largest size and its launches. */
const MIN_TIME_FOR_TRY_MS = 80 * SECOND_MS;
/** Delay before the next plan if the last one placed nothing. */
const NOTHING_PLACED_RETRY_MS = 10 * SECOND_MS;

/**
 * Places pods that are pending or about to lose their node, and launches nodes for them.
 *
 * Safe to crash anywhere: the next reader recovers a commit (`commit/commit.ts`), an unlaunched
 * claim is launched by its own reconciliation, and the next plan places the pods on stored claims.
 */
export async function reconcileProvisioning(
  ports: Ports,
  settings: ProvisioningSettings = DEFAULT_PROVISIONING_SETTINGS,
): Promise<void> {
  if (!(await isOwner(ports))) return;
  const planning = provisionUntilCommitted(ports, settings);
  await awaitAll([planning, sendPlannerHeartbeat(ports)]);
  if ((await planning) === 'committed') return;
  await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
}

/**
 * @returns `committed` also if there was nothing to plan; `stale` after `MAX_COMMIT_TRIES`
 *   conflicts, or if there is no time for another try
 */
async function provisionUntilCommitted(
  ports: Ports,
  settings: ProvisioningSettings,
): Promise<CommitOutcome> {
  const hasTime = (): boolean => hasTimeFor(ports, MIN_TIME_FOR_TRY_MS);
  for (let tries = 1; tries <= MAX_COMMIT_TRIES && (tries === 1 || hasTime()); tries += 1) {
    const snapshot = await observeBatch(ports, settings);
    if (!snapshot) return 'committed';
    const input = await readPlanningInput(ports, snapshot, settings);
    const planned = planIfNeeded(ports, input);
    if (!planned) return 'committed';

    await scheduleReplanAfterBackoffs(ports, planned, input);
    const { claims, offerings, takenAt: now } = snapshot;
    const launch = { planned: planned.plan.claims, claims, offerings, now };
    const caps = await readCapState(ports, launch);
    const { plan, withheld } = limitToCaps(planned.plan, caps);
    if (withheld) await reportWithheldLaunches(ports, withheld, now);
    const committed = await commitPlan(ports, snapshot, plan);
    if (committed === 'stale') continue;
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
    return 'committed';
  }
  return 'stale';
}

const addLaunches = (
  records: readonly StoredNodeClaim[],
  launches: LaunchesByClaim,
): readonly NodeClaim[] =>
  records.map(({ claim }) => {
    const launch = launches.get(claim.name);
    return launch ? { ...claim, launch } : claim;
  });

async function readPlanningInput(
  ports: Ports,
  snapshot: ClusterSnapshot,
  { anticipate }: ProvisioningSettings,
): Promise<PlanningInput> {
  const [registration, launch, placement] = await Promise.all([
    ports.poolBackoffs.list(),
    ports.launchBackoffs.list(),
    recordPlacements(ports, snapshot),
  ]);
  const backoffs = { registration, launch, placement };
  return { kind: 'provisioning', snapshot, backoffs, anticipate };
}

/** Schedules the next plan for when a withheld launch is allowed again, or a back-off ends. */
async function scheduleReplanAfterBackoffs(
  ports: Ports,
  { retryAt }: Pick<ProvisioningPlanning, 'retryAt'>,
  { snapshot: { takenAt }, backoffs: { launch, placement } }: PlanningInput,
): Promise<void> {
  const ends = listActive([...launch, ...placement], takenAt).map(({ until }) => until);
  const times = retryAt === undefined ? ends : [...ends, retryAt];
  if (times.length > 0) await requestPlan(ports, Math.min(...times));
}

interface IdentifiedPlan extends ProvisioningPlanning {
  readonly id: string;
  readonly tookMs: number;
}

/**
 * @returns undefined if no pod needs a place and no node is required
 */
function planIfNeeded(
  { clock }: Pick<Ports, 'clock'>,
  input: PlanningInput,
): IdentifiedPlan | undefined {
  const { snapshot } = input;
  const pending = snapshot.pods.filter(isProvisionable);
  if (pending.length === 0 && !isAnyNodeLeaving(snapshot) && !needsExtraNodes(snapshot)) {
    return undefined;
  }
  const id = createDecisionId('p', snapshot.takenAt, listDecisionInputs(snapshot, pending));
  const planned = planLaunches(input, id);
  const tookMs = clock.now() - snapshot.takenAt;
  const isNothingWithheld = planned.retryAt === undefined;
  return isEmptyPlan(planned.plan) && isNothingWithheld ? undefined : { ...planned, id, tookMs };
}

/** Buffers and static pools require nodes even without pending pods. */
const needsExtraNodes = (snapshot: ClusterSnapshot): boolean =>
  listBufferPods(snapshot).length > 0 || areStaticNodesMissing(snapshot);

const isAnyNodeLeaving = ({ claims, nodes }: ClusterSnapshot): boolean =>
  claims.some(({ deletingAt }) => deletingAt !== undefined) ||
  nodes.some(({ taints }) => taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)));

/** Distinguishes decisions that are made at the same millisecond. */
const listDecisionInputs = (
  snapshot: ClusterSnapshot,
  pending: readonly Pod[],
): readonly string[] => [
  ...pending.map(podKey),
  ...snapshot.claims.map(({ name }) => name),
  JSON.stringify(snapshot.unavailable),
];

const isEmptyPlan = ({ claims, placements, unplaced }: ProvisioningPlan): boolean =>
  claims.length === 0 && placements.length === 0 && unplaced.length === 0;

/**
 * Schedules the next plan for the unplaced pods: now if they only wait for the next plan, and when
 * an unavailable offering may have capacity again.
 */
async function scheduleReplanOfUnplaced(
  ports: Ports,
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

/** A planner that crashed blocks its queue for minutes; shorter silences are normal. */
const MAX_SILENCE_MS = 30 * SECOND_MS;

type HeartbeatPorts = Pick<Ports, 'leases' | 'clock'>;

const acquirePlanLease = ({ leases, clock }: HeartbeatPorts, holder: string) =>
  leases.acquire('plan', { holder, now: clock.now(), forMs: MAX_SILENCE_MS });

/** Planner heartbeat. The lease excludes nothing: the epoch keeps commits in order. */
export async function sendPlannerHeartbeat(ports: HeartbeatPorts): Promise<void> {
  await acquirePlanLease(ports, 'planner');
}

/** True if the planner's heartbeat has expired. The sweep then takes the lease and has to plan. */
export const isPlannerSilent = async (ports: HeartbeatPorts): Promise<boolean> =>
  (await acquirePlanLease(ports, 'sweep')) !== undefined;
