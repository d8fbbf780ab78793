import { expiresAt } from '../lifecycle/expiration.ts';
import { isHeld, withoutFinalizer } from '../lifecycle/finalizer.ts';
import { isProvisionable } from '../model/disruption-pods.ts';
import { StaleObjectError } from '../model/errors.ts';
import type { Node } from '../model/node.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Instance } from '../ports/cloud.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import type { LeaseTerm } from '../ports/records.ts';
import type { Ports } from '../ports/ports.ts';
import { accountForInstances } from './garbage-collection/reconcile.ts';
import { allTheSame, forEachAllTheSame } from './support/run-all.ts';
import { checkInstances } from './interruption/instance-status.ts';
import { claimsToLookAt } from './claims-to-look-at.ts';
import { followZonalShifts } from './zonal-shift/reconcile.ts';
import { nameInstances } from './node-claim/tagging.ts';
import { DEFAULT_SETTINGS, type ProvisioningSettings } from './provisioning/observe-batch.ts';
import { isOwnerOrSaysWhyNot } from './support/ownership.ts';
import { isPlannerSilent } from './provisioning/planner-life.ts';
import { reconcileProvisioning } from './provisioning/reconcile.ts';
import { repairNodes } from './node-claim/node-repair.ts';
import { reportPools } from './node-pool/status.ts';
import { settleCommit } from './commit/commit.ts';
import { reachOf } from './zonal-shift/shifted-zones.ts';
import { tendExtensions } from './node-pool/tend-extensions.ts';
import { tendReserved } from './node-claim/capacity-reservation.ts';

/** Over before the next one is due, whatever becomes of this one. */
const TERM_MS = 50 * SECOND_MS;
const termOf = (now: EpochMs): LeaseTerm => ({ holder: `sweep-${now}`, now, forMs: TERM_MS });

/**
 * Finds every minute what an event missed. It decides little itself: it sends the hints that
 * somebody should have sent, and ends what nobody will ask for any more. A part that fails holds no
 * other up, and fails the sweep in the end.
 */
export async function sweep(ports: Ports): Promise<void> {
  if (!(await isOwnerOrSaysWhyNot(ports))) return;
  await allTheSame([
    // Beside a sweep that is under way as well: it may have asked before an event that woke this one.
    () => followZonalShifts(ports),
    () => sweepAlone(ports),
  ]);
}

async function sweepAlone(ports: Ports): Promise<void> {
  const lease = await ports.leases.acquire('sweep', termOf(ports.clock.now()));
  if (!lease) return;
  try {
    await sweepAll(ports);
  } finally {
    await ports.leases.release(lease);
  }
}

async function sweepAll(ports: Ports): Promise<void> {
  const settling = settleCommit(ports);
  // EC2 first: a claim made in between is then seen, and its instance is not taken for a leak.
  const listing = ports.cloud.instances();
  const [, listed] = await Promise.allSettled([settling, listing]);
  const claims = (await ports.nodeClaims.list()).map(({ claim }) => claim);
  const objects = await ports.cluster.observe();
  const { nodes } = objects;
  const instances = listed.status === 'fulfilled' ? listed.value : undefined;

  await allTheSame([
    // What somebody waits for comes first: the time may run out.
    () => hintClaims(ports, claims, objects, instances),
    () => hintPlans(ports, objects, claims),
    () => repairNodes(ports, claims, nodes),
    () => checkInstances(ports, claims),
    () => tendExtensions(ports, objects, claims),
    () => settling,
    async () => {
      const known = await listing;
      await settling;
      await accountForInstances(ports, known, claims, objects);
    },
    async () => releaseOrphans(ports, nodes, claims, await listing),
    async () => tendReserved(ports, claims, nodes, await listing),
    () => reportPools(ports, { ...objects, claims }),
    async () => nameInstances(ports, claims, await listing),
  ]);
}

async function hintClaims(
  { queue, clock }: Ports,
  claims: readonly NodeClaim[],
  objects: ClusterObjects,
  instances: readonly Instance[] | undefined,
): Promise<void> {
  const isDue = dueAt(clock.now(), objects.nodes, instances);
  const overdue = claims.filter(isDue).map(({ name }) => name);
  const names = new Set([...overdue, ...claimsToLookAt(objects, claims)]);
  await forEachAllTheSame([...names], (claim) => queue.send({ topic: 'claim', claim }));
}

/** @param instances - absent: EC2 could not tell, and none is taken for gone */
function dueAt(
  now: EpochMs,
  nodes: readonly Node[],
  instances: readonly Instance[] | undefined,
): (claim: NodeClaim) => boolean {
  const running = instances && new Set(instances.map(({ providerId }) => providerId));
  const healthy = new Set(nodes.filter(isWell).map(({ providerId }) => providerId));

  return (claim) => {
    const { providerId } = claim.launch ?? {};
    const isSettled = claim.initializedAt !== undefined && claim.deletingAt === undefined;
    const isAlive =
      providerId !== undefined &&
      healthy.has(providerId) &&
      (running === undefined || running.has(providerId));
    return !isSettled || !isAlive || now >= (expiresAt(claim) ?? Number.POSITIVE_INFINITY);
  };
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
