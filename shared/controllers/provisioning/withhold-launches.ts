import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey, toOwnerUid } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import { groupLaunches, JUDGED_AFTER_MS, type OwnerLaunches, toOwnerKey } from './owner-launches.ts';

export interface LimitedPlan {
  readonly plan: ProvisioningPlan;
  /** When to plan the withheld pods again; `undefined` if none were withheld. */
  readonly retryAt?: EpochMs;
}

/**
 * Withholds NodeClaims for pods that have nodes on the way already, and all but one for an owner
 * whose pods the last nodes did not receive.
 */
export function withholdRepeatedLaunches(
  plan: ProvisioningPlan,
  snapshot: ClusterSnapshot,
  backoffs: readonly PoolBackoff[],
): LimitedPlan {
  if (plan.claims.length === 0) return { plan };
  const owners = new Map(snapshot.pods.map((pod) => [podKey(pod), toOwnerUid(pod)]));
  const ownerOf = (pod: PodKey): string => owners.get(pod) ?? pod;
  const launches = groupLaunches(snapshot);
  const coveredPods = countCoveredPods(launches, plan, snapshot);
  const probes = countProbes(launches, backoffs);

  const counted = plan.claims.map((planned) => ({
    planned,
    pods: Map.groupBy(planned.pods, ownerOf),
  }));
  const excessPods = new Map<string, number>();
  for (const { pods } of counted) {
    for (const [owner, own] of pods) excessPods.set(owner, (excessPods.get(owner) ?? 0) + own.length);
  }
  for (const [owner, covered] of coveredPods)
    excessPods.set(owner, Math.max(0, (excessPods.get(owner) ?? 0) - covered));

  const claims: PlannedClaim[] = [];
  for (const { planned, pods } of counted) {
    const { pool } = planned.claim;
    const ownersInNeed = [...pods.keys()].filter(
      (owner) => (excessPods.get(owner) ?? 0) > 0 && (probes.get(toOwnerKey(pool, owner)) ?? 1) > 0,
    );
    if (pods.size > 0 && ownersInNeed.length === 0) continue;
    claims.push(planned);
    for (const [owner, own] of pods) {
      excessPods.set(owner, (excessPods.get(owner) ?? 0) - own.length);
      const key = toOwnerKey(pool, owner);
      const remaining = probes.get(key);
      if (remaining !== undefined) probes.set(key, remaining - 1);
    }
  }
  if (claims.length === plan.claims.length) return { plan };
  const hourlyUsd = claims.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  return {
    plan: { ...plan, claims, hourlyUsd },
    retryAt: snapshot.takenAt + JUDGED_AFTER_MS,
  };
}

/**
 * Counts the planned pods of each owner that open launches were made for: they waited already when
 * the NodeClaim was created.
 */
function countCoveredPods(
  launches: ReadonlyMap<string, OwnerLaunches>,
  { claims, placements }: ProvisioningPlan,
  { pods }: ClusterSnapshot,
): ReadonlyMap<string, number> {
  const placedOn = new Map(placements.map(({ target, pods: placed }) => [target, new Set(placed)]));
  const planned = new Set(claims.flatMap((claim) => claim.pods));
  const podsOf = Map.groupBy(pods, toOwnerUid);
  const covered = new Map<string, number>();
  for (const { owner, launches: ownerLaunches } of launches.values()) {
    const open = ownerLaunches.filter(({ state }) => state === 'open');
    if (open.length === 0) continue;
    const ownPods = podsOf.get(owner) ?? [];
    const unusedCounts = open.map(({ claim, expected }) => {
      const isPlacedHere = (pod: Pod): boolean =>
        [claim.name, claim.nodeName].some((name) => placedOn.get(name ?? '')?.has(podKey(pod)));
      return Math.max(0, expected - ownPods.filter(isPlacedHere).length);
    });
    const newest = Math.max(...open.map(({ claim }) => claim.createdAt));
    const waiting = ownPods.filter(
      (pod) => planned.has(podKey(pod)) && (pod.unschedulableSince ?? newest + 1) <= newest,
    );
    const count = Math.min(
      unusedCounts.reduce((sum, count) => sum + count, 0),
      waiting.length,
    );
    covered.set(owner, (covered.get(owner) ?? 0) + count);
  }
  return covered;
}

/** Counts how many NodeClaims may be launched for each owner and pool with a back-off: one or none. */
function countProbes(
  launches: ReadonlyMap<string, OwnerLaunches>,
  backoffs: readonly PoolBackoff[],
): Map<string, number> {
  return new Map(
    backoffs.map(({ pool, owner = '', failedAt = 0 }) => {
      const key = toOwnerKey(pool, owner);
      const isProbing = launches
        .get(key)
        ?.launches.some(({ claim, state }) => state === 'open' && claim.createdAt > failedAt);
      return [key, isProbing ? 0 : 1];
    }),
  );
}
