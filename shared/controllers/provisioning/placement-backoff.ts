/*
 * Placement back-off: nodes that were launched for pods and do not receive them.
 *
 * The planner models kube-scheduler. If something outside of the model keeps pods from a new node (a
 * controller taints every node after it joins, a scheduler plugin refuses), the pods stay pending, fit
 * nowhere, and would be planned onto new nodes again and again.
 *
 *     launch for 20 pods       initialized        judged, 30 s later       until           probe
 *     ----+-----------------------+--------------------+--------------------+---------------+----> time
 *         | the pods are not planned onto new nodes    | no pod came:       | one NodeClaim | a pod came:
 *         | again while they have nodes on the way     | back off 1 min     | at a time     | back-off ends
 *                                                                             | no pod came: 2 min, … 1 h
 *
 * An entry belongs to a pod owner (a pod without an owner is its own) and a NodePool. Other pods of the
 * pool and other pools for the same pods are not affected.
 */

import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { NODEPOOL_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import type { PlannedClaim, PoolRefusal, ProvisioningPlan, Unplaced } from '../../model/plans.ts';
import { isProvisionable } from '../../model/pods/disruption-pods.ts';
import { launchOwnerOf, type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { DAY_MS, type EpochMs, formatInstant, SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { extendBackoff, listActive } from '../node-pool/backoff.ts';

/**
 * kube-scheduler tries a pod again at once when a node becomes usable, and after 10 s at the latest
 * if it has failed before.
 */
const JUDGED_AFTER_MS = 30 * SECOND_MS;

type BackoffPorts = Pick<Ports, 'placementBackoffs' | 'decisionLog'>;

/**
 * Compares the nodes launched for pods with the pods that run there, and updates the back-offs.
 *
 * @returns the back-offs after the update
 */
export async function recordPlacements(
  { placementBackoffs, decisionLog }: BackoffPorts,
  snapshot: ClusterSnapshot,
): Promise<readonly PoolBackoff[]> {
  const at = snapshot.takenAt;
  const stored = await placementBackoffs.list();
  const backoffs = new Map(stored.map((one) => [toKey(one.pool, one.owner ?? ''), one]));
  for (const backoff of stored) {
    if (at < backoff.until + DAY_MS) continue;
    backoffs.delete(toKey(backoff.pool, backoff.owner ?? ''));
    await placementBackoffs.remove(backoff.pool, backoff.owner);
  }
  for (const [key, { pool, owner, launches }] of groupLaunches(snapshot)) {
    const before = backoffs.get(key);
    // Launches from before the last failure have been counted.
    const recent = launches.filter(({ claim }) => claim.createdAt > (before?.failedAt ?? 0));
    if (recent.some(({ state }) => state === 'received')) {
      if (before) await placementBackoffs.remove(pool, owner);
      backoffs.delete(key);
      continue;
    }
    const unused = recent.filter(({ state }) => state === 'unused').map(({ claim }) => claim.name);
    if (unused.length === 0) continue;
    const after = extendBackoff(before, { pool, owner, at });
    if (after === before) continue;
    backoffs.set(key, after);
    await placementBackoffs.save(after);
    await decisionLog.recordEvent({
      kind: 'pods-not-received',
      at,
      pool,
      claims: unused,
      pods: listPendingPods(snapshot, owner).map(podKey),
      failures: after.failures,
      until: after.until,
    });
  }
  return [...backoffs.values()];
}

/** A NodeClaim that was launched for pods of an owner, and whether its node received any. */
interface OwnerLaunch {
  readonly claim: NodeClaim;
  /** The number of pods of the owner that it was launched for. */
  readonly expected: number;
  /** `open`: the pods may still come. `idle`: no pod of the owner waits any more. */
  readonly state: 'received' | 'unused' | 'open' | 'idle';
}

interface OwnerLaunches {
  readonly pool: string;
  readonly owner: string;
  readonly launches: readonly OwnerLaunch[];
}

const toKey = (pool: string, owner: string): string => `${pool}#${owner}`;

function groupLaunches(snapshot: ClusterSnapshot): ReadonlyMap<string, OwnerLaunches> {
  const { claims, nodes, pods, takenAt } = snapshot;
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  const ownersOnNode = new Map<string, Set<string>>();
  for (const pod of pods) {
    if (pod.nodeName === undefined) continue;
    getOrCreate(ownersOnNode, pod.nodeName, () => new Set()).add(launchOwnerOf(pod));
  }
  const waitingSince = new Map<string, EpochMs>();
  for (const pod of pods.filter(isProvisionable)) {
    const owner = launchOwnerOf(pod);
    const since = pod.unschedulableSince ?? takenAt;
    waitingSince.set(owner, Math.min(since, waitingSince.get(owner) ?? since));
  }

  const groups = new Map<string, { pool: string; owner: string; launches: OwnerLaunch[] }>();
  for (const claim of claims) {
    const node = nodeOf.get(claim.nodeName ?? '');
    if (isLost(claim) || (node && isSmallerThanPlanned(claim, node))) continue;
    for (const [owner, expected] of Object.entries(claim.expects ?? {})) {
      const hasReceived = ownersOnNode.get(claim.nodeName ?? '')?.has(owner) ?? false;
      const state = hasReceived ? 'received' : judge(claim, waitingSince.get(owner), takenAt);
      const key = toKey(claim.pool, owner);
      const group = groups.get(key) ?? { pool: claim.pool, owner, launches: [] };
      group.launches.push({ claim, expected, state });
      groups.set(key, group);
    }
  }
  return groups;
}

/** Judges a node without pods of the owner, of which the first has been waiting since `since`. */
function judge(
  { initializedAt, deletingAt }: NodeClaim,
  since: EpochMs | undefined,
  now: EpochMs,
): OwnerLaunch['state'] {
  if (initializedAt === undefined) return 'open';
  if (deletingAt === undefined && now < initializedAt + JUDGED_AFTER_MS) return 'open';
  return since !== undefined && since <= initializedAt ? 'unused' : 'idle';
}

/**
 * The node went before its pods could come. A node that was removed because it was empty is judged,
 * however: consolidation waits until kube-scheduler has seen it.
 */
const isLost = ({ deletingAt, removal }: NodeClaim): boolean =>
  deletingAt !== undefined && removal !== 'Empty';

/** The next plan knows the real size of such nodes and chooses another type. */
const isSmallerThanPlanned = ({ requests, launch }: NodeClaim, { allocatable }: Node): boolean =>
  Object.keys(requests).some(
    (resource) => (allocatable[resource] ?? 0) < (launch?.allocatable[resource] ?? 0),
  );

const listPendingPods = ({ pods }: ClusterSnapshot, owner: string): readonly Pod[] =>
  pods.filter((pod) => isProvisionable(pod) && launchOwnerOf(pod) === owner);

/**
 * Keeps pods away from the pools that back off for their owner. A pod is still planned onto nodes of
 * other pools; kube-scheduler may bind it anywhere.
 */
export function withPlacementBackoffs(
  snapshot: ClusterSnapshot,
  backoffs: readonly PoolBackoff[],
): ClusterSnapshot {
  const active = Map.groupBy(listActive(backoffs, snapshot.takenAt), ({ owner }) => owner);
  if (active.size === 0) return snapshot;
  const pods = snapshot.pods.map((pod) => {
    const resting = active.get(launchOwnerOf(pod));
    return resting && isProvisionable(pod)
      ? avoidPools(
          pod,
          resting.map(({ pool }) => pool),
        )
      : pod;
  });
  return { ...snapshot, pods };
}

function avoidPools(pod: Pod, pools: readonly string[]): Pod {
  const avoid = { key: NODEPOOL_LABEL, operator: 'NotIn', values: pools } as const;
  const terms = pod.spec.requiredNodeTerms.length > 0 ? pod.spec.requiredNodeTerms : [[]];
  return {
    ...pod,
    spec: { ...pod.spec, requiredNodeTerms: terms.map((term) => [...term, avoid]) },
  };
}

/** Gives the back-off as the reason of the pools that were kept from pods without a place. */
export function explainPlacementBackoffs(
  plan: ProvisioningPlan,
  { pods, takenAt }: ClusterSnapshot,
  backoffs: readonly PoolBackoff[],
): ProvisioningPlan {
  const active = listActive(backoffs, takenAt);
  if (active.length === 0 || plan.unplaced.length === 0) return plan;
  const owners = new Map(pods.map((pod) => [podKey(pod), launchOwnerOf(pod)]));
  const unplaced = plan.unplaced.map((group): Unplaced => {
    const groupOwners = new Set(group.pods.map((pod) => owners.get(pod)));
    const resting = new Map(
      active.flatMap((one) => (groupOwners.has(one.owner) ? [[one.pool, one]] : [])),
    );
    if (resting.size === 0) return group;
    // A fix would remove the requirement that only this back-off added.
    const { fix: _, otherFixes: __, ...unfixed } = group;
    return { ...unfixed, pools: group.pools.map((refusal) => explain(refusal, resting)) };
  });
  return { ...plan, unplaced };
}

function explain(refusal: PoolRefusal, resting: ReadonlyMap<string, PoolBackoff>): PoolRefusal {
  const backoff = resting.get(refusal.pool);
  if (!backoff) return refusal;
  const { pool, failures, until } = backoff;
  const fields = { pool, failures: `${failures}`, until: formatInstant(until) };
  return { pool, reasons: [{ code: 'pods-not-received', fields }] };
}

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
  const owners = new Map(snapshot.pods.map((pod) => [podKey(pod), launchOwnerOf(pod)]));
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
    for (const [owner, own] of pods)
      excessPods.set(owner, (excessPods.get(owner) ?? 0) + own.length);
  }
  for (const [owner, covered] of coveredPods)
    excessPods.set(owner, Math.max(0, (excessPods.get(owner) ?? 0) - covered));

  const claims: PlannedClaim[] = [];
  for (const { planned, pods } of counted) {
    const { pool } = planned.claim;
    const ownersInNeed = [...pods.keys()].filter(
      (owner) => (excessPods.get(owner) ?? 0) > 0 && (probes.get(toKey(pool, owner)) ?? 1) > 0,
    );
    if (pods.size > 0 && ownersInNeed.length === 0) continue;
    claims.push(planned);
    for (const [owner, own] of pods) {
      excessPods.set(owner, (excessPods.get(owner) ?? 0) - own.length);
      const key = toKey(pool, owner);
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
  const podsOf = Map.groupBy(pods, launchOwnerOf);
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
      const key = toKey(pool, owner);
      const isProbing = launches
        .get(key)
        ?.launches.some(({ claim, state }) => state === 'open' && claim.createdAt > failedAt);
      return [key, isProbing ? 0 : 1];
    }),
  );
}
