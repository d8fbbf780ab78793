import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { isProvisionable } from '../model/disruption-pods.ts';
import type { ProvisioningPlan } from '../model/plans.ts';
import type { Pod } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../model/taints.ts';
import { SECOND_MS } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { planProvisioning } from '../scheduling/plan-provisioning.ts';
import type { CommitOutcome } from './commit-lease.ts';
import { commitPlan } from './commit-plan.ts';
import { decisionId } from './decision-id.ts';
import { launchPlanned } from './launch-planned.ts';
import { observe } from './observe.ts';
import { isOwner } from './owner.ts';
import { type BatchSettings, DEFAULT_WINDOW, judgeBatch } from './pod-batch.ts';
import { announcePlan } from './provisioning-events.ts';

/** Who comes second so often is in bad company: the next turn may have it for itself. */
const MOST_TRIES = 3;
const RETRY_AFTER_MS = SECOND_MS;

export interface ProvisioningSettings extends BatchSettings {
  /**
   * Where an invocation may last, it waits itself for its batch to be complete. Absent: a hint comes
   * back for it.
   */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export const DEFAULT_SETTINGS: ProvisioningSettings = { window: DEFAULT_WINDOW, anticipate: true };

/** How soon the state is read again while a batch is open. */
const LOOK_EVERY_MS = 250;
/** How long pods hold up a plan that kube-scheduler has not judged. */
const JUDGING_MS = 2 * SECOND_MS;

/**
 * Finds a place for the pods that have none, and for those that lose theirs.
 *
 * May die anywhere: what was committed is put on record by whoever looks next, a claim without a
 * launch is launched by its own reconciliation, and pods that were planned for a stored claim are
 * placed on it by the next plan.
 */
export async function reconcileProvisioning(
  ports: Ports,
  settings: ProvisioningSettings = DEFAULT_SETTINGS,
): Promise<void> {
  if (!(await isOwner(ports))) return;
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const snapshot = await observeBatch(ports, settings);
    if (!snapshot || (await planOnce(ports, snapshot, settings)) === 'committed') return;
  }
  await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
}

/**
 * What is there once the batch is complete, or has waited its time.
 *
 * @returns absent, if it is not: a hint will say when
 */
async function observeBatch(
  ports: Ports,
  { wait, ...settings }: ProvisioningSettings,
): Promise<ClusterSnapshot | undefined> {
  const since = ports.clock.now();
  for (;;) {
    const snapshot = await observe(ports);
    const { takenAt } = snapshot;
    const { due, closesAt, hasUnjudged } = judgeBatch(snapshot, settings);
    const isJudging = hasUnjudged && takenAt - since < JUDGING_MS;
    const isPatient = wait && takenAt - since < settings.window.maxMs;
    if (isPatient && (!due || isJudging)) {
      await wait(Math.min(LOOK_EVERY_MS, due ? LOOK_EVERY_MS : (closesAt ?? takenAt) - takenAt));
      continue;
    }
    if (closesAt !== undefined) await ports.queue.send({ topic: 'plan' }, closesAt);
    return due ? snapshot : undefined;
  }
}

async function planOnce(
  ports: Ports,
  snapshot: ClusterSnapshot,
  { anticipate }: ProvisioningSettings,
): Promise<CommitOutcome> {
  const pending = snapshot.pods.filter(isProvisionable);
  if (pending.length === 0 && !isAnybodyLeaving(snapshot)) return 'committed';

  const id = decisionId('p', snapshot.takenAt, contentOf(snapshot, pending));
  const plan = planProvisioning(snapshot, id, { anticipate });
  if (isIdle(plan)) return 'committed';

  await ports.journal.decided({ kind: 'provisioning', id, at: snapshot.takenAt, plan });
  if ((await commitPlan(ports, snapshot, plan)) === 'stale') return 'stale';
  await launchPlanned(ports, plan.claims, snapshot);
  await announcePlan(ports, plan, snapshot);
  await lookAgain(ports, snapshot, plan);
  return 'committed';
}

const isAnybodyLeaving = ({ claims, nodes }: ClusterSnapshot): boolean =>
  claims.some(({ deletingAt }) => deletingAt !== undefined) ||
  nodes.some(({ taints }) => taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)));

/** What sets a decision apart from another one of the same moment. */
const contentOf = (snapshot: ClusterSnapshot, pending: readonly Pod[]): readonly string[] => [
  ...pending.map(podKey),
  ...snapshot.claims.map(({ name }) => name),
  JSON.stringify(snapshot.unavailable),
];

const isIdle = ({ claims, placements, unplaced }: ProvisioningPlan): boolean =>
  claims.length === 0 && placements.length === 0 && unplaced.length === 0;

/** What EC2 had none of may be there again: pods without a place are planned anew then. */
async function lookAgain(
  { queue }: Ports,
  { unavailable, takenAt }: ClusterSnapshot,
  { unplaced }: ProvisioningPlan,
): Promise<void> {
  if (unplaced.length === 0) return;
  const next = Math.min(...unavailable.map(({ until }) => until).filter((at) => at > takenAt));
  if (Number.isFinite(next)) await queue.send({ topic: 'plan' }, next);
}
