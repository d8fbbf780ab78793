import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../model/plans.ts';
import { type PodKey, podKey } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { type CommitOutcome, underCommitLease } from './commit-lease.ts';
import { groupedForLaunch } from './launch-groups.ts';
import { nominate } from './nominate.ts';
import { makeRecords, settleCommit } from './settle-commit.ts';

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
): Promise<CommitOutcome> {
  const targets = targetsOf(plan);
  if (targets.length === 0) return 'committed';

  const id = plan.claims[0]?.claim.decision ?? `placed-${snapshot.takenAt}`;
  return underCommitLease(ports, id, async (lease) => {
    const epoch = await settleCommit(ports);
    if (epoch !== (snapshot.epoch ?? 0)) return 'stale';
    if (await hasChanged(ports, snapshot, plan)) return 'stale';

    await nominate(ports, targets);
    if (plan.claims.length === 0) return 'committed';
    const commit = { id, claims: groupedForLaunch(claimsOf(plan, snapshot), id) };
    if (!(await ports.commits.add(commit, epoch, lease))) return 'stale';
    await makeRecords(ports, commit, epoch + 1);
    return 'committed';
  });
}

const targetsOf = ({ claims, placements }: ProvisioningPlan): readonly string[] => [
  ...placements.map(({ target }) => target),
  ...claims.map(({ claim }) => claim.name),
];

/**
 * Claims that no commit made (by hand, or adopted) use their pool's limits and may be what the pods
 * wait for; and a node that is on its way out by now takes no pods.
 */
async function hasChanged(
  { nodeClaims }: Pick<Ports, 'nodeClaims'>,
  snapshot: ClusterSnapshot,
  { placements }: ProvisioningPlan,
): Promise<boolean> {
  const seen = new Map(snapshot.claims.map((claim) => [claim.name, claim]));
  const targets = new Set(placements.map(({ target }) => target));
  const isTarget = ({ name, nodeName = '' }: NodeClaim): boolean =>
    targets.has(name) || targets.has(nodeName);

  return (await nodeClaims.list()).some(({ claim }) => {
    const before = seen.get(claim.name);
    if (!before) return true;
    return claim.deletingAt !== before.deletingAt && isTarget(claim);
  });
}

/** Notes how long the pods have waited when the claim is made; moved pods have not. */
function claimsOf(plan: ProvisioningPlan, { pods }: ClusterSnapshot): readonly NodeClaim[] {
  const waiting = new Map<PodKey, EpochMs>(
    pods.flatMap((pod) => {
      const since = pod.unschedulableSince;
      return since === undefined ? [] : [[podKey(pod), since]];
    }),
  );
  return plan.claims.map((planned) => withWait(planned, waiting));
}

function withWait({ claim, pods }: PlannedClaim, waiting: ReadonlyMap<PodKey, EpochMs>): NodeClaim {
  const times = pods.flatMap((pod) => waiting.get(pod) ?? []);
  return times.length > 0 ? { ...claim, podsWaitedSince: Math.min(...times) } : claim;
}
