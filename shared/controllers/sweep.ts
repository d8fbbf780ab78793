import { expiresAt } from '../lifecycle/expiration.ts';
import { isHeld, withoutFinalizer } from '../lifecycle/finalizer.ts';
import { isProvisionable } from '../model/disruption-pods.ts';
import { StaleObjectError } from '../model/errors.ts';
import type { Node } from '../model/node.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Instance } from '../ports/cloud.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import type { LeaseTerm } from '../ports/leases.ts';
import type { Ports } from '../ports/ports.ts';
import { accountForInstances } from './account-for-instances.ts';
import { checkInstances } from './check-instances.ts';
import { claimsToLookAt } from './claims-to-look-at.ts';
import { followZonalShifts } from './follow-zonal-shifts.ts';
import { nameInstances } from './name-instances.ts';
import { DEFAULT_SETTINGS, type ProvisioningSettings } from './observe-batch.ts';
import { isOwnerOrSaysWhyNot } from './owner.ts';
import { isPlannerSilent } from './planner-life.ts';
import { reconcileProvisioning } from './provisioning.ts';
import { repairNodes } from './repair.ts';
import { reportPools } from './report-pools.ts';
import { settleCommit } from './settle-commit.ts';
import { reachOf } from './shifted-zones.ts';
import { tendExtensions } from './tend-extensions.ts';
import { tendReserved } from './tend-reserved.ts';

/** Over before the next one is due, whatever becomes of this one. */
const TERM_MS = 50 * SECOND_MS;
const termOf = (now: EpochMs): LeaseTerm => ({ holder: `sweep-${now}`, now, forMs: TERM_MS });

/**
 * Finds every minute what an event missed. It decides little itself: it sends the hints that
 * somebody should have sent, and ends what nobody will ask for any more.
 */
export async function sweep(ports: Ports): Promise<void> {
  if (!(await isOwnerOrSaysWhyNot(ports))) return;
  // Beside a sweep that is under way as well: it may have asked before an event that woke this one.
  await followZonalShifts(ports);
  const lease = await ports.leases.acquire('sweep', termOf(ports.clock.now()));
  if (!lease) return;
  try {
    await sweepAll(ports);
  } finally {
    await ports.leases.release(lease);
  }
}

async function sweepAll(ports: Ports): Promise<void> {
  await settleCommit(ports);
  // EC2 first: a claim made in between is then seen, and its instance is not taken for a leak.
  const instances = await ports.cloud.instances();
  const claims = (await ports.nodeClaims.list()).map(({ claim }) => claim);
  const objects = await ports.cluster.observe();

  await hintOverdue(ports, claims, objects.nodes, instances);
  for (const claim of claimsToLookAt(objects, claims)) {
    await ports.queue.send({ topic: 'claim', claim });
  }
  await accountForInstances(ports, instances, claims, objects);
  await releaseOrphans(ports, objects.nodes, claims, instances);
  await repairNodes(ports, claims, objects.nodes);
  await tendExtensions(ports, objects, claims);
  await hintPlans(ports, objects, claims);
  await checkInstances(ports, claims);
  await tendReserved(ports, claims, objects.nodes, instances);
  await reportPools(ports, { ...objects, claims });
  await nameInstances(ports, claims, instances);
}

async function hintOverdue(
  { queue, clock }: Ports,
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  instances: readonly Instance[],
): Promise<void> {
  const now = clock.now();
  const running = new Set(instances.map(({ providerId }) => providerId));
  const healthy = new Set(nodes.filter(isWell).map(({ providerId }) => providerId));

  for (const claim of claims) {
    const { providerId } = claim.launch ?? {};
    const settled = claim.initializedAt !== undefined && claim.deletingAt === undefined;
    const alive = providerId !== undefined && running.has(providerId) && healthy.has(providerId);
    if (settled && alive && now < (expiresAt(claim) ?? Number.POSITIVE_INFINITY)) continue;
    await queue.send({ topic: 'claim', claim: claim.name });
  }
}

/** The sweep may not launch: the claims have it done by those who may. */
const PLANNING: ProvisioningSettings = { ...DEFAULT_SETTINGS, leavesLaunches: true };

const isWell = ({ ready, deletionAt }: Node): boolean => ready && deletionAt === undefined;

/** A Node that is being deleted, without claim and instance, waits for a finalizer of nobody. */
async function releaseOrphans(
  ports: Ports,
  nodes: readonly Node[],
  claims: readonly NodeClaim[],
  instances: readonly Instance[],
): Promise<void> {
  const known = new Set([
    ...claims.map(({ launch }) => launch?.providerId),
    ...instances.map(({ providerId }) => providerId),
  ]);
  // The list may lack what runs there.
  const isWithinReach = await reachOf(ports);
  for (const node of nodes.filter(({ providerId }) => isWithinReach(providerId))) {
    if (node.deletionAt === undefined || !isHeld(node) || known.has(node.providerId)) continue;
    try {
      await ports.cluster.changeNode(node, { finalizers: withoutFinalizer(node) });
    } catch (error) {
      // Somebody else is at work on it: if it is still needed, the next sweep sees it.
      if (!(error instanceof StaleObjectError)) throw error;
    }
  }
}

/** With a planner that is not heard of, the sweep plans itself: its queue may stand still. */
async function hintPlans(
  ports: Ports,
  { pods }: ClusterObjects,
  claims: readonly NodeClaim[],
): Promise<void> {
  const { queue } = ports;
  const leaving = claims.some(({ deletingAt }) => deletingAt !== undefined);
  if (leaving || pods.some(isProvisionable)) {
    await queue.send({ topic: 'plan' });
    if (await isPlannerSilent(ports)) await reconcileProvisioning(ports, PLANNING);
  }
  await queue.send({ topic: 'disrupt' });
}
