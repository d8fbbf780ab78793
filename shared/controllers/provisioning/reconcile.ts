import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { isProvisionable } from '../../model/disruption-pods.ts';
import type { ProvisioningPlan } from '../../model/plans.ts';
import type { Pod } from '../../model/pod.ts';
import { podKey } from '../../model/pod.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/taints.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { PoolBackoff } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';
import { planProvisioning } from '../../scheduling/plan-provisioning.ts';
import { bufferPods } from '../../scheduling/pods/buffer-pods.ts';
import { areNodesLacking } from '../../scheduling/static-claims.ts';
import { endOfAll } from '../support/run-all.ts';
import { cappedPlan } from './capped-plan.ts';
import type { CommitOutcome } from '../commit/commit-lease.ts';
import { commitPlan } from '../commit/commit-plan.ts';
import { decisionId } from '../support/decision-id.ts';
import { launchPlanned, leaveLaunches } from './launch-planned-claims.ts';
import { DEFAULT_SETTINGS, observeBatch, type ProvisioningSettings } from './observe-batch.ts';
import { isOwner } from '../support/ownership.ts';
import { showLife } from './planner-life.ts';
import { withBackoff } from '../node-pool/registration-backoff.ts';
import { announcePlan } from './plan-events.ts';
import { reportGrownPools } from '../node-pool/status.ts';

/** Who comes second so often is in bad company: the next turn may have it for itself. */
const MOST_TRIES = 3;
const RETRY_AFTER_MS = SECOND_MS;
/** Until pods are looked at that a plan without any success left to the next. */
const STUCK_MS = 10 * SECOND_MS;

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
  const planning = planUntilCommitted(ports, settings);
  await endOfAll([planning, showLife(ports)]);
  if ((await planning) === 'committed') return;
  await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
}

async function planUntilCommitted(
  ports: Ports,
  settings: ProvisioningSettings,
): Promise<CommitOutcome> {
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const [snapshot, backoffs] = await Promise.all([
      observeBatch(ports, settings),
      ports.poolBackoffs.list(),
    ]);
    if (!snapshot || (await planOnce(ports, snapshot, backoffs, settings)) === 'committed') {
      return 'committed';
    }
  }
  return 'stale';
}

async function planOnce(
  ports: Ports,
  snapshot: ClusterSnapshot,
  backoffs: readonly PoolBackoff[],
  settings: ProvisioningSettings,
): Promise<CommitOutcome> {
  const pending = snapshot.pods.filter(isProvisionable);
  if (pending.length === 0 && !isAnybodyLeaving(snapshot) && !isRoomWanted(snapshot)) {
    return 'committed';
  }

  const id = decisionId('p', snapshot.takenAt, contentOf(snapshot, pending));
  const pools = withBackoff(snapshot.pools, backoffs, snapshot.takenAt);
  const wanted = planProvisioning({ ...snapshot, pools }, id, settings);
  if (isIdle(wanted)) return 'committed';
  const plan = await cappedPlan(ports, snapshot, wanted, settings.caps);

  const committed = await commitPlan(ports, snapshot, plan);
  if (committed === 'stale') return 'stale';
  // The commit is what must come first; the explanation has as long as EC2.
  await endOfAll([
    settings.leavesLaunches
      ? leaveLaunches(ports, committed.records)
      : launchPlanned(ports, committed.records, plan.claims, snapshot),
    committed.finish(),
    ports.journal.decided({ kind: 'provisioning', id, at: snapshot.takenAt, plan }),
  ]);
  await announcePlan(ports, plan, snapshot);
  await lookAgain(ports, snapshot, plan);
  if (plan.claims.length > 0) await reportGrownPools(ports, snapshot);
  return 'committed';
}

/** Nodes are wanted whatever pods there are. */
const isRoomWanted = (snapshot: ClusterSnapshot): boolean =>
  bufferPods(snapshot).length > 0 || areNodesLacking(snapshot);

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
  { unplaced, claims, placements }: ProvisioningPlan,
): Promise<void> {
  if (unplaced.length === 0) return;
  if (unplaced.some(({ waits }) => waits)) {
    // Where nothing found a place, turn after turn at once would only be heat.
    const isStuck = claims.length + placements.length === 0;
    await queue.send({ topic: 'plan' }, takenAt + (isStuck ? STUCK_MS : 0));
  }
  const next = Math.min(...unavailable.map(({ until }) => until).filter((at) => at > takenAt));
  if (Number.isFinite(next)) await queue.send({ topic: 'plan' }, next);
}
