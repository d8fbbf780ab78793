import { hasTerminationFinalizer, removeTerminationFinalizer } from '../../lifecycle/node-edits.ts';
import { forEachConcurrently } from '../../model/concurrency.ts';
import { StaleObjectError } from '../../model/errors.ts';
import { isManagedNode, type Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { SweepState } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';
import { closeAbandonedLaunches } from '../launch/launch-record.ts';
import { adoptInstances, type LostInstance } from '../node-claim/adoption.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';
import {
  classifyInstance,
  findLeaks,
  type InstanceRecords,
  isLiveInstance,
} from './leaked-instances.ts';

/**
 * Accounts for every instance: an instance that lost its record is adopted, an instance that no
 * claim will get is terminated.
 *
 * @param instances - listed before `claims` were read
 * @param claims - claims that are not terminated
 */
export async function reconcileInstances(
  ports: Ports,
  instances: readonly Instance[],
  claims: readonly NodeClaim[],
  objects: ClusterObjects,
): Promise<void> {
  const now = ports.clock.now();
  const liveInstances = instances.filter(isLiveInstance);
  const records = await readRecords(ports, liveInstances, claims);
  const byStanding = Object.groupBy(liveInstances, (instance) =>
    classifyInstance(instance, records, now),
  );

  const stored = await ports.sweepState.read();
  const state: SweepState = stored ?? { tableSince: now, unexplained: {} };
  const { lost, remaining } = splitUnexplained(
    byStanding.unexplained ?? [],
    state.tableSince,
    objects,
  );
  await adoptInstances(ports, lost, objects);

  // An unreadable NodeClaim may be the one that the instance belongs to.
  const hasUnreadableClaim = objects.unreadable?.some(({ kind }) => kind === 'NodeClaim') ?? false;
  const decision = findLeaks(hasUnreadableClaim ? [] : remaining, liveInstances.length, state, now);
  if (!stored || isChanged(decision.state, state)) await ports.sweepState.write(decision.state);
  if (decision.withheld.length > 0) {
    const count = decision.withheld.length;
    await ports.decisionLog.recordEvent({
      kind: 'unexplained',
      at: now,
      count,
      fleet: liveInstances.length,
    });
  }
  await terminateInstances(
    ports,
    [...(byStanding.surplus ?? []), ...decision.leaks],
    objects.nodes,
  );
}

async function readRecords(
  ports: Ports,
  instances: readonly Instance[],
  claims: readonly NodeClaim[],
): Promise<InstanceRecords> {
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  const launched = new Set(claims.flatMap(({ launch }) => launch?.providerId ?? []));
  const launches = await closeAbandonedLaunches(ports, byName);
  const names = instances
    .filter(({ providerId }) => !launched.has(providerId))
    .map(({ claim }) => claim)
    .filter((name) => name !== '' && !byName.has(name));
  const storedClaims = await Promise.all(
    [...new Set(names)].map((name) => ports.nodeClaims.find(name)),
  );
  const ended = storedClaims.flatMap((one) =>
    one?.claim.terminatedAt === undefined ? [] : one.claim.name,
  );
  return { claims: byName, launched, launches, ended: new Set(ended) };
}

/**
 * Separates instances whose record was lost: the cluster has their NodeClaim, or they are older
 * than the table.
 */
function splitUnexplained(
  unexplained: readonly Instance[],
  tableSince: EpochMs,
  { nodeClaims, nodes }: ClusterObjects,
): { readonly lost: readonly LostInstance[]; readonly remaining: readonly Instance[] } {
  const lost: LostInstance[] = [];
  const remaining: Instance[] = [];
  for (const instance of unexplained) {
    const { providerId, claim } = instance;
    const object = nodeClaims.find((one) => one.providerId === providerId || one.name === claim);
    const node = nodes.find((one) => one.providerId === providerId);
    if (object || (instance.launchedAt ?? tableSince) < tableSince) {
      lost.push({ instance, ...(object && { object }), ...(node && { node }) });
    } else {
      remaining.push(instance);
    }
  }
  return { lost, remaining };
}

const isChanged = (a: SweepState, b: SweepState): boolean =>
  JSON.stringify(a.unexplained) !== JSON.stringify(b.unexplained);

/** Terminates instances and deletes their Nodes, which would otherwise stay as NotReady. */
async function terminateInstances(
  ports: Ports,
  instances: readonly Instance[],
  nodes: readonly Node[],
): Promise<void> {
  const { cloud, cluster } = ports;
  const isWithinReach = await createReachabilityCheck(ports);
  const nodeOf = new Map(nodes.map((node) => [node.providerId, node]));
  const within = instances.filter(({ providerId }) => isWithinReach(providerId));
  await forEachConcurrently(within, async ({ providerId }) => {
    await cloud.terminate(providerId);
    const node = nodeOf.get(providerId);
    if (node && node.deletionAt === undefined) await cluster.deleteNode(node.name);
  });
}

/**
 * Removes our finalizer from Nodes that are being deleted and that no claim will release: those of
 * our NodePools that have no record, that are not ready, and whose instance EC2 confirms to be
 * gone. A Node whose instance exists is left to its owner, or to its claim once it is adopted,
 * which drains it first.
 */
export async function releaseOrphanedNodes(
  ports: Ports,
  nodes: readonly Node[],
  claims: readonly NodeClaim[],
  instances: readonly Instance[],
): Promise<void> {
  const accounted = new Set([
    ...claims.map(({ launch }) => launch?.providerId),
    ...instances.map(({ providerId }) => providerId),
  ]);
  // EC2's answers about a shifted zone may be wrong.
  const isWithinReach = await createReachabilityCheck(ports);
  const orphans = nodes.filter(
    (node) =>
      isManagedNode(node) &&
      node.deletionAt !== undefined &&
      !node.ready &&
      hasTerminationFinalizer(node) &&
      !accounted.has(node.providerId) &&
      isWithinReach(node.providerId),
  );
  await forEachConcurrently(orphans, (node) => releaseIfInstanceIsGone(ports, node));
}

async function releaseIfInstanceIsGone({ cloud, cluster }: Ports, node: Node): Promise<void> {
  // Without a provider id EC2 cannot be asked.
  if (node.providerId === undefined || (await cloud.instance(node.providerId))) return;
  try {
    await cluster.changeNode(node, { finalizers: removeTerminationFinalizer(node) });
  } catch (error) {
    // Another writer changed the Node: the next sweep tries again if it is still needed.
    if (!(error instanceof StaleObjectError)) throw error;
  }
}
