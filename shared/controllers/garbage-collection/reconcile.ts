import { forEachConcurrently } from '../../model/concurrency.ts';
import { UnreadableRowError } from '../../model/errors.ts';
import { isInUse, type Node } from '../../model/nodes/node.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { SweepState } from '../../ports/learned-state.ts';
import type { RecordList, StoredNodeClaim } from '../../ports/records.ts';
import { closeAbandonedLaunches } from '../launch/launch-record.ts';
import { adoptInstances, type LostInstance } from '../node-claim/adoption.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';
import { classifyInstance, findLeaks, type InstanceRecords, isLiveInstance } from './leaked-instances.ts';

/**
 * Accounts for every instance: an instance that lost its record is adopted, an instance that no
 * claim will get is terminated.
 *
 * Records may be wrong: a table was restored from a backup, or EC2 did not show an instance in time. An
 * instance with a Node that is ready or registered may have pods, so it is never terminated from here: it
 * is adopted, and one that no claim needs is drained.
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
  const byStanding = Object.groupBy(liveInstances, (instance) => classifyInstance(instance, records, now));

  const previous = await ports.sweepState.read();
  const state: SweepState = previous ?? { tableSince: now, unexplained: {} };
  const unexplained = splitUnexplained(byStanding.unexplained ?? [], state.tableSince, records, objects);
  const surplus = splitSurplus(await withoutOwned(ports, byStanding.surplus, records), objects);
  const unadopted = await adoptInstances(ports, [...unexplained.lost, ...surplus.lost], objects);

  // An unreadable NodeClaim or record may be the one that the instance belongs to.
  const isIncomplete =
    hasUnreadable(records) || (objects.unreadable?.some(({ kind }) => kind === 'NodeClaim') ?? false);
  const suspects = [...surplus.remaining, ...(isIncomplete ? [] : unexplained.remaining)];
  const decision = findLeaks(suspects, liveInstances.length, state, now);
  if (!previous || isChanged(decision.state, state)) await ports.sweepState.write(decision.state);
  // Their NodePool is deleted, so that no record can be made; a NodeClaim would name their class.
  const unknown = unadopted.filter(({ object }) => object === undefined);
  const count = decision.withheld.length + unknown.length;
  if (count > 0) {
    await ports.decisionLog.recordEvent({
      kind: 'unexplained',
      at: now,
      count,
      fleet: liveInstances.length,
    });
  }
  await terminateInstances(ports, decision.leaks, objects.nodes);
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

interface Separated {
  readonly lost: readonly LostInstance[];
  readonly remaining: readonly Instance[];
}

/**
 * Separates instances whose record was lost: the cluster has their NodeClaim, their Node is in use, or
 * they are older than the table. If a record cannot be read, it may be theirs, unless their NodeClaim has
 * another name.
 */
function splitUnexplained(
  unexplained: readonly Instance[],
  tableSince: EpochMs,
  records: InstanceRecords,
  { nodeClaims, nodes }: ClusterObjects,
): Separated {
  const lost: LostInstance[] = [];
  const remaining: Instance[] = [];
  for (const instance of unexplained) {
    const { providerId, claim } = instance;
    const object = nodeClaims.find((one) => one.providerId === providerId || one.name === claim);
    const node = nodes.find((one) => one.providerId === providerId);
    if (object && records.unreadable.claims.has(object.name)) continue;
    const isOlder = (instance.launchedAt ?? tableSince) < tableSince;
    if (object || ((isOlder || isInUse(node)) && !hasUnreadable(records))) {
      lost.push({ instance, ...(object && { object }), ...(node && { node }) });
    } else if (!isInUse(node)) {
      remaining.push(instance);
    }
  }
  return { lost, remaining };
}

/** Separates the instances that no claim needs, but that may have pods. */
function splitSurplus(surplus: readonly Instance[], { nodes }: ClusterObjects): Separated {
  const nodeOf = new Map(nodes.map((node) => [node.providerId, node]));
  const lost = surplus.flatMap((instance) => {
    const node = nodeOf.get(instance.providerId);
    return node && isInUse(node) ? [{ instance, node, isSurplus: true as const }] : [];
  });
  const inUse = new Set(lost.map(({ instance }) => instance));
  return { lost, remaining: surplus.filter((instance) => !inUse.has(instance)) };
}

/** Leaves out instances that a claim has after all, read once more and consistently. */
async function withoutOwned(
  { nodeClaims }: Pick<PortsOf<'sweep'>, 'nodeClaims'>,
  surplus: readonly Instance[] = [],
  { launches }: InstanceRecords,
): Promise<readonly Instance[]> {
  const namesOf = ({ claim, launchId = '' }: Instance): readonly string[] => {
    const launch = launches.get(launchId);
    const names = [claim, ...(launch?.claims ?? []), ...Object.keys(launch?.launches ?? {})];
    return [...new Set(names)].filter((name) => name !== '');
  };
  const owned = new Set<string>();
  const names = new Set(surplus.flatMap(namesOf));
  await forEachConcurrently([...names], async (name) => {
    const stored = await unlessUnreadable(() => nodeClaims.find(name));
    if (stored?.claim.launch && stored.claim.terminatedAt === undefined) owned.add(stored.claim.launch.providerId);
  });
  return surplus.filter(({ providerId }) => !owned.has(providerId));
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
    if (node && node.deletionAt === undefined) await cluster.deleteNode(node);
  });
}
