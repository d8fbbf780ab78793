import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { awaitAll } from '../../model/concurrency.ts';
import type { ProvisioningPlan } from '../../model/plans.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { HeldBackPods } from '../../ports/decision-log.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { SetAsideSubject, StoredPlanningState } from '../../ports/planning-state.ts';
import type { Ports } from '../../ports/ports.ts';
import { listBufferPods } from '../../scheduling/pods/buffer-pods.ts';
import { areStaticNodesMissing } from '../../scheduling/static-claims.ts';
import type { CommitOutcome } from '../commit/commit.ts';
import type { ObservedObjects } from '../observe-cluster.ts';
import {
  type AttemptPorts,
  cancelIfUnreadable,
  listHeldBack,
  type OpenAttempt,
  plansEverything,
  type RecordedAttempt,
  recordAttempt,
  recordFailure,
  reportPause,
} from '../planning-attempts/planning-attempt.ts';
import { createDecisionId } from '../support/decision-id.ts';
import { isOwner } from '../support/ownership.ts';
import { hasTimeFor } from '../support/time-left.ts';
import { carryOutPlan, type IdentifiedPlan } from './carry-out-plan.ts';
import { type PlanningInput, planLaunches } from './decide-provisioning.ts';
import { groupByWorkloadKey, isAnyNodeLeaving } from './held-back-pods.ts';
import { DEFAULT_PROVISIONING_SETTINGS, observeBatch, type ProvisioningSettings } from './observe-batch.ts';
import { recordPlacements } from './placement-backoff.ts';

/** After three commit conflicts, stop and reschedule: another planner is active. */
const MAX_COMMIT_TRIES = 3;
const RETRY_AFTER_MS = SECOND_MS;
/** An open batch, a plan of the largest size and its launches. */
const MIN_TIME_FOR_TRY_MS = 80 * SECOND_MS;

/**
 * Places pods that are pending or about to lose their node, and launches nodes for them.
 *
 * Safe to crash anywhere: the next reader recovers a commit (`commit/commit.ts`), an unlaunched
 * claim is launched by its own reconciliation, and the next plan places the pods on stored claims.
 */
export async function reconcileProvisioning(
  ports: PortsOf<'provisioning'>,
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
  ports: PortsOf<'provisioning'>,
  settings: ProvisioningSettings,
): Promise<CommitOutcome> {
  const hasTime = (): boolean => hasTimeFor(ports, MIN_TIME_FOR_TRY_MS);
  for (let tries = 1; tries <= MAX_COMMIT_TRIES && (tries === 1 || hasTime()); tries += 1) {
    const [objects, state] = await Promise.all([
      observeBatch(ports, settings),
      ports.planningState.find('provisioning'),
    ]);
    if (!objects) return 'committed';
    const { snapshot, attempt } = await observeAndRecord(ports, objects, state);
    if (!attempt) return 'committed';
    const reads = readPlanningInput(ports, snapshot, attempt, settings);
    const input = await cancelIfUnreadable(Promise.resolve(attempt), reads);
    const planned = await recordFailure(attempt, () => planBatch(ports, input));
    if (!planned) {
      await attempt.end();
      return 'committed';
    }
    const done = carryOutPlan(ports, planned, input, settings);
    await awaitAll([done, attempt.end()]);
    if ((await done) === 'committed') return 'committed';
  }
  return 'stale';
}

async function readPlanningInput(
  ports: PortsOf<'provisioning'>,
  snapshot: ClusterSnapshot,
  { heldBack }: RecordedBatch,
  { anticipate }: ProvisioningSettings,
): Promise<PlanningInput> {
  const [registration, launch, placement] = await Promise.all([
    ports.poolBackoffs.list('registration'),
    ports.poolBackoffs.list('launch'),
    recordPlacements(ports, snapshot),
  ]);
  const backoffs = { registration, launch, placement };
  return {
    ...{ kind: 'provisioning', snapshot, backoffs, anticipate },
    ...(heldBack && { heldBack }),
  };
}

interface ObservedBatch {
  readonly snapshot: ClusterSnapshot;
  /** `undefined` if no pod needs a place and no node is required. */
  readonly attempt?: RecordedBatch;
}

/**
 * Completes the snapshot, and records that a plan starts. For an ordinary batch the record is written
 * while the records of the snapshot are read, so that it delays no plan.
 */
async function observeAndRecord(
  ports: PortsOf<'provisioning'>,
  objects: ObservedObjects,
  state: StoredPlanningState | undefined,
): Promise<ObservedBatch> {
  const isOrdinary = plansEverything(state) && objects.pods.some(isProvisionable);
  const early = isOrdinary ? recordBatch(ports, state) : undefined;
  const snapshot = await cancelIfUnreadable(Promise.resolve(early), objects.withRecords());
  const attempt = await early;
  if (attempt) return { snapshot, attempt };
  const isNeeded = snapshot.pods.some(isProvisionable) || isAnyNodeLeaving(snapshot) || needsExtraNodes(snapshot);
  return { snapshot, ...(isNeeded && { attempt: await recordBatch(ports, state, snapshot) }) };
}

/**
 * @returns undefined if the plan has no effect and nothing is withheld
 */
function planBatch({ clock }: Pick<Ports, 'clock'>, input: PlanningInput): IdentifiedPlan | undefined {
  const { snapshot } = input;
  const pending = snapshot.pods.filter(isProvisionable);
  const id = createDecisionId('p', snapshot.takenAt, listDecisionInputs(snapshot, pending));
  const planned = planLaunches(input, id);
  const tookMs = clock.now() - snapshot.takenAt;
  const isNothingWithheld = planned.retryAt === undefined;
  return isEmptyPlan(planned.plan) && isNothingWithheld ? undefined : { ...planned, id, tookMs };
}

/** Buffers and static pools require nodes even without pending pods. */
const needsExtraNodes = (snapshot: ClusterSnapshot): boolean =>
  listBufferPods(snapshot).length > 0 || areStaticNodesMissing(snapshot);

/** Distinguishes decisions that are made at the same millisecond. */
const listDecisionInputs = (snapshot: ClusterSnapshot, pending: readonly Pod[]): readonly string[] => [
  ...pending.map(podKey),
  ...snapshot.claims.map(({ name }) => name),
  JSON.stringify(snapshot.unavailable),
];

const isEmptyPlan = ({ claims, placements, unplaced }: ProvisioningPlan): boolean =>
  claims.length === 0 && placements.length === 0 && unplaced.length === 0;

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

/** A pod batch whose planning is recorded as an attempt. */
interface RecordedBatch extends OpenAttempt {
  /** The pods that this attempt must leave out; `undefined` for none. */
  readonly heldBack?: HeldBackPods;
}

/**
 * Records that a batch is about to be planned, and chooses its pods.
 *
 * @param snapshot - not needed if `plansEverything`
 */
async function recordBatch(
  ports: AttemptPorts,
  stored: StoredPlanningState | undefined,
  snapshot?: ClusterSnapshot,
): Promise<RecordedBatch> {
  const workloads = snapshot && !plansEverything(stored) ? groupByWorkloadKey(snapshot) : NO_PODS;
  const attempt = await recordAttempt(ports, 'provisioning', stored, [...workloads.keys()]);
  await reportPause(ports, 'provisioning', attempt, snapshot?.pools ?? []);
  if (attempt.newlySetAside) await reportSetAside(ports, attempt.newlySetAside, workloads);
  const heldBack = listHeldBackPods(attempt, workloads);
  const { end, cancel, fail } = attempt;
  return { ...(heldBack && { heldBack }), end, cancel, fail };
}

type PodsByWorkload = ReadonlyMap<string, readonly Pod[]>;

const NO_PODS: PodsByWorkload = new Map();

/** An event names at most so many pods. */
const MAX_NAMED_PODS = 25;

async function reportSetAside(
  { decisionLog, clock }: AttemptPorts,
  { key, failures, until }: SetAsideSubject,
  workloads: PodsByWorkload,
): Promise<void> {
  const pods = (workloads.get(key) ?? []).map(podKey);
  await decisionLog.recordEvent({
    ...{ kind: 'pods-set-aside', at: clock.now(), failures, until },
    pods: pods.slice(0, MAX_NAMED_PODS),
    podCount: pods.length,
  });
}

function listHeldBackPods(attempt: RecordedAttempt, workloads: PodsByWorkload): HeldBackPods | undefined {
  const heldBack = listHeldBack(attempt, workloads);
  return (
    heldBack && {
      ...heldBack,
      deferred: heldBack.deferred.flatMap((pods) => pods.map(podKey)),
      setAside: heldBack.setAside.map(({ subject, failures, until }) => ({
        pods: subject.map(podKey),
        failures,
        until,
      })),
    }
  );
}
