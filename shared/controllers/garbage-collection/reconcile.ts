import type { Node } from '../../model/node.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SweepNotes } from '../../ports/learned-state.ts';
import { adopt } from '../node-claim/adopt.ts';
import type { LostInstance } from '../node-claim/adoption.ts';
import { forEachAllTheSame } from '../support/run-all.ts';
import { judgeUnexplained, type Records, standingOf } from './leaked-instances.ts';
import { reachOf } from '../zonal-shift/shifted-zones.ts';
import { tendLaunches } from '../launch/tend-launches.ts';

/** A stopped one may be started again by anybody. */
const LIVING: ReadonlySet<Instance['state']> = new Set(['pending', 'running', 'stopped']);

/**
 * Sees to it that every instance is somebody's: what lost its record gets it back, and what nobody
 * is to have is ended.
 *
 * @param instances - read before `claims`
 * @param claims - not terminated
 */
export async function accountForInstances(
  ports: Ports,
  instances: readonly Instance[],
  claims: readonly NodeClaim[],
  objects: ClusterObjects,
): Promise<void> {
  const now = ports.clock.now();
  const living = instances.filter(({ state }) => LIVING.has(state));
  const records = await recordsOf(ports, living, claims);
  const of = Object.groupBy(living, (instance) => standingOf(instance, records, now));

  const stored = await ports.sweepBook.read();
  const notes: SweepNotes = stored ?? { tableSince: now, unexplained: {} };
  const { lost, rest } = sorted(of.unexplained ?? [], notes.tableSince, objects);
  await adopt(ports, lost, objects);

  // A NodeClaim that cannot be read may be the one that accounts for it.
  const isBlind = objects.unreadable?.some(({ kind }) => kind === 'NodeClaim') ?? false;
  const verdict = judgeUnexplained(isBlind ? [] : rest, living.length, notes, now);
  if (!stored || isChanged(verdict.notes, notes)) await ports.sweepBook.write(verdict.notes);
  if (verdict.held.length > 0) {
    const count = verdict.held.length;
    await ports.journal.happened({ kind: 'unexplained', at: now, count, fleet: living.length });
  }
  await end(ports, [...(of.surplus ?? []), ...verdict.end], objects.nodes);
}

async function recordsOf(
  ports: Ports,
  instances: readonly Instance[],
  claims: readonly NodeClaim[],
): Promise<Records> {
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  const launched = new Set(claims.flatMap(({ launch }) => launch?.providerId ?? []));
  const launches = await tendLaunches(ports, byName);
  const names = instances
    .filter(({ providerId }) => !launched.has(providerId))
    .map(({ claim }) => claim)
    .filter((name) => name !== '' && !byName.has(name));
  const found = await Promise.all([...new Set(names)].map((name) => ports.nodeClaims.find(name)));
  const ended = found.flatMap((one) =>
    one?.claim.terminatedAt === undefined ? [] : one.claim.name,
  );
  return { claims: byName, launched, launches, ended: new Set(ended) };
}

/** Its record is lost if the cluster has its NodeClaim, or if it ran before there was a table. */
function sorted(
  unexplained: readonly Instance[],
  tableSince: EpochMs,
  { nodeClaims, nodes }: ClusterObjects,
): { readonly lost: readonly LostInstance[]; readonly rest: readonly Instance[] } {
  const lost: LostInstance[] = [];
  const rest: Instance[] = [];
  for (const instance of unexplained) {
    const { providerId, claim } = instance;
    const object = nodeClaims.find((one) => one.providerId === providerId || one.name === claim);
    const node = nodes.find((one) => one.providerId === providerId);
    if (object || (instance.launchedAt ?? tableSince) < tableSince) {
      lost.push({ instance, ...(object && { object }), ...(node && { node }) });
    } else {
      rest.push(instance);
    }
  }
  return { lost, rest };
}

const isChanged = (a: SweepNotes, b: SweepNotes): boolean =>
  JSON.stringify(a.unexplained) !== JSON.stringify(b.unexplained);

/** With its Node, which would stand there unready. */
async function end(
  ports: Ports,
  instances: readonly Instance[],
  nodes: readonly Node[],
): Promise<void> {
  const { cloud, cluster } = ports;
  const isWithinReach = await reachOf(ports);
  const nodeOf = new Map(nodes.map((node) => [node.providerId, node]));
  const within = instances.filter(({ providerId }) => isWithinReach(providerId));
  await forEachAllTheSame(within, async ({ providerId }) => {
    await cloud.terminate(providerId);
    const node = nodeOf.get(providerId);
    if (node && node.deletionAt === undefined) await cluster.deleteNode(node.name);
  });
}
