import { hasTerminationFinalizer, removeTerminationFinalizer } from '../../lifecycle/node-edits.ts';
import { forEachConcurrently } from '../../model/concurrency.ts';
import { StaleObjectError, UnreadableRowError } from '../../model/errors.ts';
import { isManagedNode, type Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { SweepState } from '../../ports/learned-state.ts';
import type { RecordList, StoredNodeClaim } from '../../ports/records.ts';
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
 * @param stored - claims that are not terminated
 */
export async function reconcileInstances(
  ports: PortsOf<'sweep'>,
  instances: readonly Instance[],
  stored: RecordList<StoredNodeClaim>,
  objects: ClusterObjects,
): Promise<void> {
  const now = ports.clock.now();
  const liveInstances = instances.filter(isLiveInstance);
  const records = await readRecords(ports, liveInstances, stored);
  const byStanding = Object.groupBy(liveInstances, (instance) =>
    classifyInstance(instance, records, now),
  );

  const previous = await ports.sweepState.read();
  const state: SweepState = previous ?? { tableSince: now, unexplained: {} };
  const { lost, remaining } = splitUnexplained(
    byStanding.unexplained ?? [],
    state.tableSince,
    records,
    objects,
  );
  await adoptInstances(ports, lost, objects);

  // An unreadable NodeClaim or record may be the one that the instance belongs to.
  const isIncomplete =
    hasUnreadable(records) ||
    (objects.unreadable?.some(({ kind }) => kind === 'NodeClaim') ?? false);
  const decision = findLeaks(isIncomplete ? [] : remaining, liveInstances.length, state, now);
  if (!previous || isChanged(decision.state, state)) await ports.sweepState.write(decision.state);
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
  ports: PortsOf<'sweep'>,
  instances: readonly Instance[],
  stored: RecordList<StoredNodeClaim>,
): Promise<InstanceRecords> {
  const claims = stored.records.map(({ claim }) => claim);
  const unreadable = new Set(stored.unreadable.map(({ name }) => name));
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  const launched = new Set(claims.flatMap(({ launch }) => launch?.providerId ?? []));
  const launches = await closeAbandonedLaunches(ports, stored);
  const names = instances
    .filter(({ providerId }) => !launched.has(providerId))
    .map(({ claim }) => claim)
    .filter((name) => name !== '' && !byName.has(name) && !unreadable.has(name));
  const ended = new Set<string>();
  await forEachConcurrently([...new Set(names)], async (name) => {
    try {
      const claim = (await ports.nodeClaims.find(name))?.claim;
      if (claim?.terminatedAt !== undefined) ended.add(name);
    } catch (error) {
      if (!(error instanceof UnreadableRowError)) throw error;
      unreadable.add(name);
    }
  });
  return {
    claims: byName,
    launched,
    launches: new Map(launches.records.map((record) => [record.id, record])),
    unreadable: {
      claims: unreadable,
      launches: new Set(launches.unreadable.map(({ name }) => name)),
    },
    ended,
  };
}

const hasUnreadable = ({ unreadable: { claims, launches } }: InstanceRecords): boolean =>
  claims.size + launches.size > 0;

/**
 * Separates instances whose record was lost: the cluster has their NodeClaim, or they are older
 * than the table. If a record cannot be read, it may be theirs, unless their NodeClaim has another
 * name.
 */
function splitUnexplained(
  unexplained: readonly Instance[],
  tableSince: EpochMs,
  records: InstanceRecords,
  { nodeClaims, nodes }: ClusterObjects,
): { readonly lost: readonly LostInstance[]; readonly remaining: readonly Instance[] } {
  const lost: LostInstance[] = [];
  const remaining: Instance[] = [];
  for (const instance of unexplained) {
    const { providerId, claim } = instance;
    const object = nodeClaims.find((one) => one.providerId === providerId || one.name === claim);
    const node = nodes.find((one) => one.providerId === providerId);
    if (object && records.unreadable.claims.has(object.name)) continue;
    const isOlder = (instance.launchedAt ?? tableSince) < tableSince;
    if (object || (isOlder && !hasUnreadable(records))) {
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
  ports: PortsOf<'sweep'>,
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
  ports: PortsOf<'sweep'>,
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

async function releaseIfInstanceIsGone(
  { cloud, cluster }: PortsOf<'sweep'>,
  node: Node,
): Promise<void> {
  // Without a provider id EC2 cannot be asked.
  if (node.providerId === undefined) return;
  const instance = await cloud.instance(node.providerId);
  if (instance && instance.state !== 'terminated') return;
  try {
    await cluster.changeNode(node, { finalizers: removeTerminationFinalizer(node) });
  } catch (error) {
    // Another writer changed the Node: the next sweep tries again if it is still needed.
    if (!(error instanceof StaleObjectError)) throw error;
  }
}
