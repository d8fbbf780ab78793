import { trackConsolidation } from '../lifecycle/consolidatable.ts';
import { forEachWithLimit, runSequentially } from '../model/concurrency.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import { isProvisionable } from '../model/pods/disruption-pods.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Instance } from '../ports/cloud.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import type { PortsOf } from '../ports/hint-senders.ts';
import type { Ports } from '../ports/ports.ts';
import type { LeaseTerm, StoredNodeClaim } from '../ports/records.ts';
import { recoverCommit } from './commit/commit.ts';
import { adoptHandedOver, listHandedOver } from './garbage-collection/adopt-handed-over.ts';
import { releaseOrphanedNodes } from './garbage-collection/orphaned-nodes.ts';
import { reconcileInstances } from './garbage-collection/reconcile.ts';
import { checkInstanceStatus } from './interruption/instance-status.ts';
import { reconcileReservedNodes } from './node-claim/capacity-reservation.ts';
import { hydrateClassLabels } from './node-claim/class-label.ts';
import { repairNodes } from './node-claim/node-repair.ts';
import { findConsolidationFacts } from './node-claim/observe-claim.ts';
import { repairStatuses } from './node-claim/repair-statuses.ts';
import { requestOverdueReconciles } from './node-claim/request-overdue-reconciles.ts';
import { tagInstances } from './node-claim/tagging.ts';
import { reconcileExtensions } from './node-pool/extensions.ts';
import { reportPoolStatus } from './node-pool/status.ts';
import { recordNodePeak } from './provisioning/fleet-peak.ts';
import { DEFAULT_PROVISIONING_SETTINGS, type ProvisioningSettings } from './provisioning/observe-batch.ts';
import { isPlannerSilent, reconcileProvisioning } from './provisioning/reconcile.ts';
import { withAdoptedInstances } from './support/adopted-instances.ts';
import { storeClaim, writeUnlessStale } from './support/claim-writes.ts';
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
export async function sweep(ports: PortsOf<'sweep'>, from = 0): Promise<void> {
  if (!(await isOwnerOrReportsStandBy(ports))) return;
  await runSequentially([
    // Outside of the lease: a sweep that is under way may have read the shifts before this one's
    // event.
    () => reconcileZonalShifts(ports),
    () => sweepWithLease(ports, from),
  ]);
}

async function sweepWithLease(ports: PortsOf<'sweep'>, from: number): Promise<void> {
  const lease = await ports.leases.acquire('sweep', toLeaseTerm(ports.clock.now()));
  if (!lease) return;
  try {
    await runSweep(ports, from);
  } finally {
    await ports.leases.release(lease);
  }
}

async function runSweep(ports: PortsOf<'sweep'>, from: number): Promise<void> {
  const recovery = unlessUnreadable(() => recoverCommit(ports));
  // List instances before claims: a claim that is created in between is then known, and its
  // instance is no leak.
  const listing = ports.cloud.instances();
  const [, listed] = await Promise.allSettled([recovery, listing]);
  const stored = await ports.nodeClaims.list();
  const claims = stored.records.map(({ claim }) => claim);
  const lookup = listed.status === 'fulfilled' ? findStayingInstances(ports, listed.value, claims) : listing;
  const [objects, [described]] = await Promise.all([ports.cluster.observe(), Promise.allSettled([lookup])]);
  const { nodes } = objects;
  const instances = described.status === 'fulfilled' ? described.value : undefined;
  const handedOver = listHandedOver(objects, stored);
  // A commit that cannot be read may name claims that have no record yet.
  const isCommitReadable = async (): Promise<boolean> => (await recovery) !== undefined;

  const parts = [
    // Urgent hints first.
    () => requestOverdueReconciles(ports, claims, withoutClaims(objects, handedOver), instances),
    () => requestPlans(ports, objects, claims),
    () => lookup,
    async () => {
      if (await isCommitReadable()) await adoptHandedOver(ports, handedOver, objects, stored);
    },
    () => repairNodes(ports, claims, objects),
    () => checkInstanceStatus(ports, claims),
    () => reconcileExtensions(ports, objects, claims),
    () => recovery,
    async () => {
      const listedInstances = await listing;
      if (await isCommitReadable()) await reconcileInstances(ports, listedInstances, stored, objects);
    },
    () => recordNodePeak(ports, nodes),
    () => recordPodEvents(ports, stored.records, objects),
    () => hydrateClassLabels(ports, claims, objects),
    async () => releaseOrphanedNodes(ports, nodes, claims, await listing),
    async () => reconcileReservedNodes(ports, claims, nodes, await listing),
    () => repairStatuses(ports, claims, objects),
    () => reportPoolStatus(ports, { ...objects, claims }),
    async () => tagInstances(ports, stored.records, await listing),
    () => ports.nodeClaims.renew(),
    // Last: a plan that ends the invocation must not take node repair and garbage collection with it.
    () => planInsteadOfSilentPlanner(ports, objects, claims),
  ];
  await runWhileTimeIsLeft(ports, parts, from);
}

/**
 * Finds the instances of the claims that stay. Without those that Karpenter launched, each adopted claim
 * would be looked at every minute, as if its instance were gone.
 */
async function findStayingInstances(
  ports: Pick<Ports, 'cloud' | 'clock' | 'zonalShifts'>,
  launched: readonly Instance[],
  claims: readonly NodeClaim[],
): Promise<readonly Instance[]> {
  const isWithinReach = await createReachabilityCheck(ports);
  const staying = claims.filter(
    ({ launch, deletingAt }) => launch && deletingAt === undefined && isWithinReach(launch.providerId),
  );
  return withAdoptedInstances(ports, launched, staying);
}

/** The part that takes longest asks EC2 for the tags of each instance of a large cluster. */
const MIN_TIME_FOR_PART_MS = 15 * SECOND_MS;

/** Runs at least one part, so that sweeps that have too little time complete the parts together. */
async function runWhileTimeIsLeft(
  ports: Pick<PortsOf<'sweep'>, 'queue' | 'timeLeft'>,
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
function withoutClaims(objects: ClusterObjects, handedOver: readonly NodeClaimObject[]): ClusterObjects {
  if (handedOver.length === 0) return objects;
  const names = new Set(handedOver.map(({ name }) => name));
  return { ...objects, nodeClaims: objects.nodeClaims.filter(({ name }) => !names.has(name)) };
}

/** Urgent requests to the table and the API server must not wait behind these. */
const MAX_CONCURRENT_WRITES = 10;

/**
 * Stores when a pod was last bound to, finished on or left each node, and if consolidation may consider
 * it now. Only a process that watches pods knows that one has left: the claim's own reconciliation
 * reads the pods that are still there.
 */
async function recordPodEvents(
  ports: PortsOf<'sweep'>,
  stored: readonly StoredNodeClaim[],
  objects: ClusterObjects,
): Promise<void> {
  const now = ports.clock.now();
  await forEachWithLimit(stored, MAX_CONCURRENT_WRITES, async ({ claim, version }) => {
    const tracked = trackConsolidation(claim, findConsolidationFacts(claim, objects, now));
    if (tracked === claim) return;
    const isStored = await writeUnlessStale(() => storeClaim(ports, tracked, version));
    // It wakes up when consolidateAfter has passed.
    if (isStored) await ports.queue.send({ topic: 'claim', claim: claim.name });
  });
}

/** The sweep may not launch; the claims' own reconciliation does. */
const SWEEP_PROVISIONING_SETTINGS: ProvisioningSettings = {
  ...DEFAULT_PROVISIONING_SETTINGS,
  defersLaunches: true,
};

async function requestPlans(
  { queue }: PortsOf<'sweep'>,
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
  ports: PortsOf<'sweep'>,
  objects: ClusterObjects,
  claims: readonly NodeClaim[],
): Promise<void> {
  if (needsPlan(objects, claims) && (await isPlannerSilent(ports)))
    await reconcileProvisioning(ports, SWEEP_PROVISIONING_SETTINGS);
}
