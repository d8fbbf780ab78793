import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { type PodKey, podKey } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Lease, Stored } from '../../ports/records.ts';
import { groupForLaunch } from '../launch/launch-groups.ts';
import { nominate } from '../support/nominate.ts';
import { awaitAll } from '../support/run-all.ts';
import { closeCommit, saveRecords, recoverCommit, withCommitLease } from './commit.ts';

export interface CommittedPlan {
  /** Of its claims, as they are stored. */
  readonly records: readonly Stored[];
  /** To be done, but not before launches are under way: the cluster is shown them. */
  readonly finish: () => Promise<unknown>;
}

/**
 * Makes a plan true: all of its claims are on record, or none. It was computed without a lock; what
 * it rests on is read again here, and if that has changed, it has to be made anew.
 *
 * Nothing is launched: who dies right after this leaves claims that launch themselves.
 */
export async function commitPlan(
  ports: Ports,
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
  ports: Ports,
  snapshot: ClusterSnapshot,
  plan: ProvisioningPlan,
): Promise<CommittedPlan | 'stale'> {
  // A commit that the records lack is none that the snapshot has.
  const [epoch, stored] = await Promise.all([recoverCommit(ports), ports.nodeClaims.list()]);
  if (epoch !== (snapshot.epoch ?? 0) || hasSnapshotChanged(stored, snapshot, plan)) return 'stale';

  const nominated = nominate(ports, listTargets(plan), stored);
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
 * Claims that no commit made (by hand, or adopted) use their pool's limits and may be what the pods
 * wait for; and a node that is on its way out by now takes no pods.
 */
function hasSnapshotChanged(
  stored: readonly Stored[],
  snapshot: ClusterSnapshot,
  { placements }: ProvisioningPlan,
): boolean {
  const claimsInSnapshot = new Map(snapshot.claims.map((claim) => [claim.name, claim]));
  const targets = new Set(placements.map(({ target }) => target));
  const isTarget = ({ name, nodeName = '' }: NodeClaim): boolean =>
    targets.has(name) || targets.has(nodeName);

  return stored.some(({ claim }) => {
    const before = claimsInSnapshot.get(claim.name);
    if (!before) return true;
    return claim.deletingAt !== before.deletingAt && isTarget(claim);
  });
}

/** Notes how long the pods have waited when the claim is made; moved pods have not. */
function listClaimsToStore(plan: ProvisioningPlan, { pods }: ClusterSnapshot): readonly NodeClaim[] {
  const pendingSince = new Map<PodKey, EpochMs>(
    pods.flatMap((pod) => {
      const since = pod.unschedulableSince;
      return since === undefined ? [] : [[podKey(pod), since]];
    }),
  );
  return plan.claims.map((planned) => withWaitStart(planned, pendingSince));
}

function withWaitStart({ claim, pods }: PlannedClaim, pendingSince: ReadonlyMap<PodKey, EpochMs>): NodeClaim {
  const times = pods.flatMap((pod) => pendingSince.get(pod) ?? []);
  return times.length > 0 ? { ...claim, podsWaitedSince: Math.min(...times) } : claim;
}
