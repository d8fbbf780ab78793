import { ZONE_ID_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { resolveZoneIds, type ShiftedZone, type ZonalShift, type ZoneIds } from '../../model/offerings/zones.ts';
import { allowsValue } from '../../model/requirements/requirement.ts';
import { intersectRequirements, toLabelRequirements, toRequirements } from '../../model/requirements/requirements.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { ResolvedNodeClass } from '../../ports/node-classes.ts';

/**
 * Reads the zones that the cluster is shifted away from, stores them for launches and terminations,
 * and reports the change on affected NodePools. If ARC does not answer, the last answer holds until
 * each shift's end.
 */
export async function reconcileZonalShifts(ports: PortsOf<'sweep'>): Promise<void> {
  const { shiftSource, zonalShifts, clock, decisionLog } = ports;
  if (!shiftSource || !zonalShifts) return;
  const at = clock.now();
  const answer = await shiftSource.findShifts(at);
  if (answer.outcome !== 'told') {
    const why = answer.outcome === 'unknown' ? answer.why : NOT_REGISTERED;
    await decisionLog.recordEvent({ kind: 'shifts-unknown', at, why });
  }
  if (answer.outcome === 'unknown') return;

  const shifts = answer.outcome === 'told' ? answer.shifts : [];
  const after = shifts.length === 0 ? [] : withZoneNames(shifts, await readZoneNames(ports));
  await reportChanges(ports, await zonalShifts.replace(after), after);
}

const NOT_REGISTERED = 'the cluster is not registered with ARC zonal shift';

/** Zone names by zone id, for zones where our nodes are or could be launched. */
async function readZoneNames({ nodeClasses, nodeClaims }: PortsOf<'sweep'>): Promise<ReadonlyMap<string, string>> {
  const [classes, claims] = await Promise.all([nodeClasses.list(), nodeClaims.list({ isEventual: true })]);
  const ofClaims = claims.records.flatMap(({ claim: { launch } }) => {
    const id = launch?.labels[ZONE_ID_LABEL];
    return launch && id !== undefined ? [[id, launch.zone] as const] : [];
  });
  const ofClasses = Object.entries(listZoneIds(classes)).map(([zone, id]) => [id, zone] as const);
  return new Map([...ofClaims, ...ofClasses]);
}

const listZoneIds = (classes: readonly ResolvedNodeClass[]): ZoneIds =>
  Object.fromEntries(
    classes.flatMap(({ subnets }) =>
      subnets.flatMap(({ zone, zoneId }) => (zoneId === undefined ? [] : [[zone, zoneId]])),
    ),
  );

/** Drops zones that have no name here, because nothing of ours is in them. */
const withZoneNames = (shifts: readonly ZonalShift[], names: ReadonlyMap<string, string>): readonly ShiftedZone[] =>
  shifts
    .flatMap(({ zoneId, until }) => {
      const zone = names.get(zoneId);
      return zone === undefined ? [] : [{ zone, zoneId, until }];
    })
    .toSorted((a, b) => (a.zone < b.zone ? -1 : 1));

/** A changed end of a running shift is not reported. */
async function reportChanges(
  ports: PortsOf<'sweep'>,
  before: readonly ShiftedZone[],
  after: readonly ShiftedZone[],
): Promise<void> {
  const started = after.filter(({ zone }) => !before.some((one) => one.zone === zone));
  const ended = before.filter(({ zone }) => !after.some((one) => one.zone === zone));
  if (started.length + ended.length === 0) return;

  const { cluster, nodeClasses, decisionLog, queue, clock } = ports;
  const [{ pools }, classes] = await Promise.all([cluster.observe(), nodeClasses.list()]);
  const at = clock.now();
  for (const { zone, zoneId, until } of started) {
    for (const pool of listPoolsInZone(zone, pools, classes)) {
      await decisionLog.recordEvent({ kind: 'zonal-shift-active', at, pool, zone, zoneId, until });
    }
  }
  for (const { zone, zoneId } of ended) {
    for (const pool of listPoolsInZone(zone, pools, classes)) {
      await decisionLog.recordEvent({ kind: 'zonal-shift-cleared', at, pool, zone, zoneId });
    }
  }
  // Pending pods may fit elsewhere now, or in the zone again.
  await queue.send({ topic: 'plan' });
}

/**
 * The names of pools that may have nodes in a zone: their requirements allow it and their class has
 * a subnet there.
 */
function listPoolsInZone(
  zone: string,
  pools: readonly NodePool[],
  classes: readonly ResolvedNodeClass[],
): readonly string[] {
  const withNames = resolveZoneIds({ pods: [], pools }, listZoneIds(classes)).pools;
  const hasSubnet = new Set(
    classes.filter(({ subnets }) => subnets.some((one) => one.zone === zone)).map(({ name }) => name),
  );
  return withNames
    .filter((pool) => hasSubnet.has(pool.nodeClass.name) && allowsZone(pool, zone))
    .map(({ name }) => name);
}

function allowsZone({ requirements, labels }: NodePool, zone: string): boolean {
  const all = intersectRequirements(toRequirements(requirements), toLabelRequirements(labels));
  const zoneRequirement = all.get(ZONE_LABEL);
  return zoneRequirement === undefined || allowsValue(zoneRequirement, zone);
}
