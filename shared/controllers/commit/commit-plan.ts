import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { awaitAll } from '../../model/concurrency.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { type PodKey, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Lease, RecordList, StoredNodeClaim } from '../../ports/records.ts';
import { groupForLaunch } from '../launch/launch-groups.ts';
import type { LaunchPorts } from '../launch/launch-record.ts';
import { nominate } from '../support/nominate.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';
import { closeCommit, recoverCommit, saveRecords, withCommitLease } from './commit.ts';

export interface CommittedPlan {
  /** The records of the plan's claims, as they are stored. */
  readonly records: readonly StoredNodeClaim[];
  /**
   * Shows the records in the cluster and returns the lease. Call it once the launches are under
   * way.
   */
  readonly finish: () => Promise<unknown>;
}

/**
 * Commits a provisioning plan: all of its claims are recorded, or none. The plan was computed
 * without a lock, so the state that it rests on is read again here; if that has changed, the plan
 * is stale and the caller plans again.
 *
 * Launches nothing: after a crash, the claims' own reconciliation launches them. Protocol:
 * `commit.ts`.
 */
export async function commitPlan(
  ports: LaunchPorts,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<CommittedPlan | 'stale'> {
  if (listTargets(plan).length === 0) return { records: [], finish: async () => undefined };

  const id = plan.claims[0]?.claim.decision ?? `placed-${snapshot.takenAt}`;
  const { outcome, released } = await withCommitLease(ports, id, (lease) =>
    commitWithLease(lease, ports, snapshot, plan),
  );
  if (outcome !== 'stale') {
    return { ...outcome, finish: () => awaitAll([outcome.finish(), released]) };
  }
  await released;
  return 'stale';
}

async function commitWithLease(
  lease: Lease,
  ports: LaunchPorts,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<CommittedPlan | 'stale'> {
  // Recover first: a commit without records is missing from the snapshot as well.
  const [epoch, stored] = await Promise.all([unlessUnreadable(() => recoverCommit(ports)), ports.nodeClaims.list()]);
  // A commit that became unreadable since the snapshot: the next snapshot forbids launches.
  if (epoch === undefined) return 'stale';
  if (epoch !== (snapshot.epoch ?? 0) || hasSnapshotChanged(stored, snapshot)) return 'stale';

  const nominated = nominate(ports, listTargets(plan), stored.records);
  if (plan.claims.length === 0) return { records: [], finish: () => nominated };
  const id = plan.claims[0]?.claim.decision ?? '';
  const commit = { id, claims: groupForLaunch(listClaimsToStore(plan, snapshot), id) };
  const [isAdded] = await Promise.all([ports.commits.add(commit, epoch, lease), nominated]);
  if (!isAdded) return 'stale';
  const records = await saveRecords(ports, commit);
  return { records, finish: () => closeCommit(ports, records, epoch + 1) };
}

const listTargets = ({ claims, placements }: ProvisioningPlan): readonly string[] => [
  ...placements.map(({ target }) => target),
  ...claims.map(({ claim }) => claim.name),
];

/**
 * True if there are claims that the snapshot lacks. Standalone and adopted claims are stored without
 * a commit, so the epoch does not show them; they use pool limits and may take the pending pods.
 *
 * A target node that started to be deleted since makes no plan stale: its deletion requests the plan
 * for its pods, and what this plan launches is needed all the more. Otherwise no plan would be
 * committed while notices arrive one after the other.
 */
function hasSnapshotChanged(stored: RecordList<StoredNodeClaim>, { claims }: ClusterSnapshot): boolean {
  const namesInSnapshot = new Set(claims.map(({ name }) => name));
  return [...stored.records.map(({ claim }) => claim), ...stored.unreadable].some(
    ({ name }) => !namesInSnapshot.has(name),
  );
}

/**
 * Adds to each claim since when its pods are pending, and which pods without an owner it is for.
 * Pods that only move have not waited.
 */
function listClaimsToStore(plan: ProvisioningPlan, { pods }: ClusterSnapshot): readonly NodeClaim[] {
  const pendingSince = new Map<PodKey, EpochMs>(
    pods.flatMap((pod) => {
      const since = pod.unschedulableSince;
      return since === undefined ? [] : [[podKey(pod), since]];
    }),
  );
  const ownerless = new Map(pods.flatMap((pod) => (pod.owner ? [] : [[podKey(pod), toOwnerUid(pod)]])));
  return plan.claims.map((planned) => withWaitStart(withOwnerless(planned, ownerless), pendingSince));
}

function withOwnerless(planned: PlannedClaim, ownerless: ReadonlyMap<PodKey, string>): PlannedClaim {
  const expected = planned.pods.flatMap((pod) => {
    const uid = ownerless.get(pod);
    return uid === undefined ? [] : [[uid, 1] as const];
  });
  if (expected.length === 0) return planned;
  const { claim } = planned;
  const expects = { ...claim.expects, ...Object.fromEntries(expected) };
  return { ...planned, claim: { ...claim, expects } };
}

function withWaitStart({ claim, pods }: PlannedClaim, pendingSince: ReadonlyMap<PodKey, EpochMs>): NodeClaim {
  const times = pods.flatMap((pod) => pendingSince.get(pod) ?? []);
  return times.length > 0 ? { ...claim, podsWaitedSince: Math.min(...times) } : claim;
}
