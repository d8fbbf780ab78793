import { trackConsolidation } from '../lifecycle/consolidatable.ts';
import { applyObjectChanges } from '../lifecycle/object-changes.ts';
import { forEachConcurrently, forEachWithLimit, runSequentially } from '../model/concurrency.ts';
import { StaleNodeClaimError } from '../model/errors.ts';
import { computeForcedExpiry } from '../model/nodes/expiry.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import { isProvisionable } from '../model/pods/disruption-pods.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Instance } from '../ports/cloud.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';
import type { LeaseTerm, StoredNodeClaim } from '../ports/records.ts';
import { recoverCommit } from './commit/commit.ts';
import { adoptHandedOver, listHandedOver } from './garbage-collection/adopt-handed-over.ts';
import { reconcileInstances, releaseOrphanedNodes } from './garbage-collection/reconcile.ts';
import { checkInstanceStatus } from './interruption/instance-status.ts';
import { reconcileReservedNodes } from './node-claim/capacity-reservation.ts';
import { hydrateClassLabels } from './node-claim/class-label.ts';
import { repairNodes } from './node-claim/node-repair.ts';
import { findConsolidationFacts } from './node-claim/observe-claim.ts';
import { repairStatuses } from './node-claim/repair-statuses.ts';
import { tagInstances } from './node-claim/tagging.ts';
import { reconcileExtensions } from './node-pool/extensions.ts';
import { reportPoolStatus } from './node-pool/status.ts';
import { recordNodePeak } from './provisioning/fleet-peak.ts';
import {
  DEFAULT_PROVISIONING_SETTINGS,
  type ProvisioningSettings,
} from './provisioning/observe-batch.ts';
import { isPlannerSilent, reconcileProvisioning } from './provisioning/reconcile.ts';
import { storeClaim } from './support/claim-writes.ts';
import { isOwnerOrReportsStandBy } from './support/ownership.ts';
import { hasTimeFor } from './support/time-left.ts';
import { unlessUnreadable } from './support/unreadable-records.ts';
import { reconcileZonalShifts } from './zonal-shift/reconcile.ts';
import { createReachabilityCheck } from './zonal-shift/shifted-zones.ts';

/** Ends before the next sweep is due. */
const LEASE_TERM_MS = 50 * SECOND_MS;
const toLeaseTerm = (now: EpochMs): LeaseTerm => ({
  holder: `sweep-${now}`,
  now,
  forMs: LEASE_TERM_MS,
});

/**
 * Finds every minute what events have missed. It decides little itself: it sends the missing hints
 * and collects garbage. Each part runs even if another fails, and the sweep fails at the end. A sweep
 * whose time ends hands the remaining parts on to another one.
 *
 * @param from - the number of parts that another sweep has completed
 */
export async function sweep(ports: Ports, from = 0): Promise<void> {
  if (!(await isOwnerOrReportsStandBy(ports))) return;
  await runSequentially([
    // Outside of the lease: a sweep that is under way may have read the shifts before this one's
    // event.
    () => reconcileZonalShifts(ports),
    () => sweepWithLease(ports, from),
  ]);
}

async function sweepWithLease(ports: Ports, from: number): Promise<void> {
  const lease = await ports.leases.acquire('sweep', toLeaseTerm(ports.clock.now()));
  if (!lease) return;
  try {
    await runSweep(ports, from);
  } finally {
    await ports.leases.release(lease);
  }
}

async function runSweep(ports: Ports, from: number): Promise<void> {
  const recovery = unlessUnreadable(() => recoverCommit(ports));
  // List instances before claims: a claim that is created in between is then known, and its
  // instance is no leak.
  const listing = ports.cloud.instances();
  const [, listed] = await Promise.allSettled([recovery, listing]);
  const stored = await ports.nodeClaims.list();
  const claims = stored.map(({ claim }) => claim);
  const lookup = listed.status === 'fulfilled' ? withAdopted(ports, listed.value, claims) : listing;
  const [objects, [described]] = await Promise.all([
    ports.cluster.observe(),
    Promise.allSettled([lookup]),
  ]);
  const { nodes } = objects;
  const instances = described.status === 'fulfilled' ? described.value : undefined;
  const handedOver = listHandedOver(objects, stored);
  // A commit that cannot be read may name claims that have no record yet.
  const isCommitReadable = async (): Promise<boolean> => (await recovery) !== undefined;

  const parts = [
    // Urgent hints first.
    () => requestClaimReconciles(ports, claims, withoutClaims(objects, handedOver), instances),
    () => requestPlans(ports, objects, claims),
    () => lookup,
    async () => {
      if (await isCommitReadable()) await adoptHandedOver(ports, handedOver, objects);
    },
    () => repairNodes(ports, claims, nodes),
    () => checkInstanceStatus(ports, claims),
    () => reconcileExtensions(ports, objects, claims),
    () => recovery,
    async () => {
      const listedInstances = await listing;
      if (await isCommitReadable())
        await reconcileInstances(ports, listedInstances, stored, objects);
    },
    () => recordNodePeak(ports, nodes),
    () => recordPodEvents(ports, stored, objects),
    () => hydrateClassLabels(ports, claims, objects),
    async () => releaseOrphanedNodes(ports, nodes, claims, await listing),
    async () => reconcileReservedNodes(ports, claims, nodes, await listing),
    () => repairStatuses(ports, claims, objects),
    () => reportPoolStatus(ports, { ...objects, claims }),
    async () => tagInstances(ports, claims, await listing),
    () => ports.nodeClaims.migrate(),
    // Last: a plan that ends the invocation must not take node repair and garbage collection with it.
    () => planInsteadOfSilentPlanner(ports, objects, claims),
  ];
  await runWhileTimeIsLeft(ports, parts, from);
}

/** The part that takes longest asks EC2 for the tags of each instance of a large cluster. */
const MIN_TIME_FOR_PART_MS = 15 * SECOND_MS;

/** Runs at least one part, so that sweeps that have too little time complete the parts together. */
async function runWhileTimeIsLeft(
  ports: Pick<Ports, 'queue' | 'timeLeft'>,
  parts: readonly (() => Promise<unknown>)[],
  from: number,
): Promise<void> {
  let next = from;
  const run = async (part: () => Promise<unknown>): Promise<void> => {
    if (next > from && !hasTimeFor(ports, MIN_TIME_FOR_PART_MS)) return;
    next += 1;
    await part();
  };
  await runSequentially([
    ...parts.slice(from).map((part) => () => run(part)),
    async () => {
      if (next < parts.length) await ports.queue.send({ topic: 'sweep', from: next });
    },
  ]);
}

/** The sweep adopts these itself; a hint for each of a thousand would delay all other hints. */
function withoutClaims(
  objects: ClusterObjects,
  handedOver: readonly NodeClaimObject[],
): ClusterObjects {
  if (handedOver.length === 0) return objects;
  const names = new Set(handedOver.map(({ name }) => name));
  return { ...objects, nodeClaims: objects.nodeClaims.filter(({ name }) => !names.has(name)) };
}

async function requestClaimReconciles(
  { queue, clock }: Ports,
  claims: readonly NodeClaim[],
  objects: ClusterObjects,
  instances: readonly Instance[] | undefined,
): Promise<void> {
  const now = clock.now();
  const isDue = createDueCheck(now, objects.nodes, instances);
  const overdue = claims.filter(isDue).map(({ name }) => name);
  const names = new Set([...overdue, ...listDivergedClaims(objects, claims)]);
  const ended = listEndedBeforeRegistration(claims, instances, now);
  await forEachConcurrently([...names], (claim) =>
    queue.send({ topic: 'claim', claim, ...(ended.has(claim) && { inDoubt: true }) }),
  );
}

/** Urgent requests to the table and the API server must not wait behind these. */
const MAX_CONCURRENT_WRITES = 10;

/**
 * Stores when a pod was last bound to, finished on or left each node, and if consolidation may consider
 * it now. Only a process that watches pods knows that one has left: the claim's own reconciliation
 * reads the pods that are still there.
 */
async function recordPodEvents(
  ports: Ports,
  stored: readonly StoredNodeClaim[],
  objects: ClusterObjects,
): Promise<void> {
  const now = ports.clock.now();
  await forEachWithLimit(stored, MAX_CONCURRENT_WRITES, async ({ claim, version }) => {
    const tracked = trackConsolidation(claim, findConsolidationFacts(claim, objects, now));
    if (tracked === claim) return;
    try {
      await storeClaim(ports, tracked, version);
      // It wakes up when consolidateAfter has passed.
      await ports.queue.send({ topic: 'claim', claim: claim.name });
    } catch (error) {
      // Another process changed the claim meanwhile: the next sweep tries again.
      if (!(error instanceof StaleNodeClaimError)) throw error;
    }
  });
}

/**
 * Adds the instances that Karpenter launched. EC2 lists only those that Mortise did, and without the
 * others each adopted claim would be looked at every minute, as if its instance were gone.
 */
async function withAdopted(
  ports: Pick<Ports, 'cloud' | 'clock' | 'zonalShifts'>,
  launched: readonly Instance[],
  claims: readonly NodeClaim[],
): Promise<readonly Instance[]> {
  const listed = new Set(launched.map(({ providerId }) => providerId));
  const isWithinReach = await createReachabilityCheck(ports);
  const missing = claims
    .flatMap(({ launch, deletingAt }) =>
      deletingAt === undefined ? (launch?.providerId ?? []) : [],
    )
    .filter((providerId) => !listed.has(providerId) && isWithinReach(providerId));
  const adopted = await Promise.all(missing.map((providerId) => ports.cloud.instance(providerId)));
  return [...launched, ...adopted.flatMap((instance) => instance ?? [])];
}

/** EC2 may not list an instance right after its launch. */
const LISTED_AFTER_MS = 30 * SECOND_MS;

/**
 * Names the claims whose instance EC2 does not list any more although no Node has joined. The
 * claim's own reconciliation asks EC2 again.
 */
function listEndedBeforeRegistration(
  claims: readonly NodeClaim[],
  instances: readonly Instance[] | undefined,
  now: EpochMs,
): ReadonlySet<string> {
  if (!instances) return new Set();
  const live = new Set(
    instances.flatMap(({ providerId, state }) => (isLive(state) ? [providerId] : [])),
  );
  const ended = claims.filter(
    ({ launch, registeredAt }) =>
      launch !== undefined &&
      registeredAt === undefined &&
      now >= launch.at + LISTED_AFTER_MS &&
      !live.has(launch.providerId),
  );
  return new Set(ended.map(({ name }) => name));
}

const isLive = (state: Instance['state']): boolean => state === 'pending' || state === 'running';

/**
 * @param instances - `undefined` if EC2 failed; then no instance counts as gone
 */
function createDueCheck(
  now: EpochMs,
  nodes: readonly Node[],
  instances: readonly Instance[] | undefined,
): (claim: NodeClaim) => boolean {
  const running = instances && new Set(instances.map(({ providerId }) => providerId));
  const healthy = new Set(nodes.filter(isHealthy).map(({ providerId }) => providerId));

  return (claim) => {
    const { providerId } = claim.launch ?? {};
    const isSteady = claim.initializedAt !== undefined && claim.deletingAt === undefined;
    const isAlive =
      providerId !== undefined &&
      healthy.has(providerId) &&
      (running === undefined || running.has(providerId));
    return !isSteady || !isAlive || now >= (computeForcedExpiry(claim) ?? Number.POSITIVE_INFINITY);
  };
}

/** The sweep may not launch; the claims' own reconciliation does. */
const SWEEP_PROVISIONING_SETTINGS: ProvisioningSettings = {
  ...DEFAULT_PROVISIONING_SETTINGS,
  defersLaunches: true,
};

const isHealthy = ({ ready, deletionAt }: Node): boolean => ready && deletionAt === undefined;

async function requestPlans(
  { queue }: Ports,
  objects: ClusterObjects,
  claims: readonly NodeClaim[],
): Promise<void> {
  if (needsPlan(objects, claims)) await queue.send({ topic: 'plan' });
  await queue.send({ topic: 'disrupt' });
}

const needsPlan = ({ pods }: ClusterObjects, claims: readonly NodeClaim[]): boolean =>
  claims.some(({ deletingAt }) => deletingAt !== undefined) || pods.some(isProvisionable);

/** If the planner is silent, its queue may be stuck, so the sweep plans itself. */
async function planInsteadOfSilentPlanner(
  ports: Ports,
  objects: ClusterObjects,
  claims: readonly NodeClaim[],
): Promise<void> {
  if (needsPlan(objects, claims) && (await isPlannerSilent(ports)))
    await reconcileProvisioning(ports, SWEEP_PROVISIONING_SETTINGS);
}

/** Claims whose object and record differ: changes that NodeClaim events may have missed. */
function listDivergedClaims(
  { nodeClaims, unreadable = [] }: Pick<ClusterObjects, 'nodeClaims' | 'unreadable'>,
  claims: readonly NodeClaim[],
): readonly string[] {
  const records = new Map(claims.map((claim) => [claim.name, claim]));
  const visible = new Set([...nodeClaims, ...unreadable].map(({ name }) => name));
  const changed = nodeClaims.filter((object) => hasDiverged(object, records.get(object.name)));
  const vanished = claims.filter(({ name, launch }) => launch !== undefined && !visible.has(name));
  return [...new Set([...changed, ...vanished].map(({ name }) => name))];
}

/** An object without a record is standalone, lost its record, or outlived it. */
const hasDiverged = (object: NodeClaimObject, record: NodeClaim | undefined): boolean =>
  !record ||
  (object.deletionAt !== undefined && record.deletingAt === undefined) ||
  applyObjectChanges(record, object) !== record;
