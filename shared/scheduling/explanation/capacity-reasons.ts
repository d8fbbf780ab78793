import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import type { PlannedClaim, PoolRefusal } from '../../model/plans.ts';
import { formatAmount } from '../../model/quantity.ts';
import { CPU, PODS } from '../../model/resources.ts';
import { formatInstant } from '../../model/time.ts';
import { findTypesHolding } from '../assignment/pod-groups.ts';
import { type Bitset, intersection, listBits, overlaps } from '../data-structures/bitset.ts';
import { at, type Vector } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { listReservationIds } from '../input/reservations.ts';
import type { DaemonGroup } from '../instance-types/daemon-overhead.ts';
import type { Narrowed } from '../instance-types/narrowing.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import { findLargest, type TypeIndex } from '../instance-types/type-index.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { findPortConflict } from '../topology/host-rules.ts';

/** Explains that no type is large enough, in one resource or in all of them together. */
export function createTooLargeReason(
  types: Bitset,
  request: Vector,
  cls: PodClass,
  daemons: readonly DaemonGroup[],
  problem: Problem,
): Reason {
  const { columns, typeIndex } = problem;
  for (const [column, resource] of columns.names.entries()) {
    const requested = at(request, column);
    const largest = requested > 0 ? findLargest(typeIndex, types, column) : undefined;
    if (!largest || largest.amount >= requested) continue;
    // If no type has the resource at all, the largest amount is meaningless.
    if (largest.amount <= 0) {
      const criteria = `${formatAmount(resource, requested)} ${resource}`;
      return { code: 'no-type-matches', fields: { criteria, missing: resource } };
    }
    const fields = {
      resource,
      request: formatRequest(resource, requested),
      type: largest.type,
      free: formatAmount(resource, largest.amount),
    };
    return { code: 'too-large', fields };
  }
  const besideDaemonSets = findTooLargeBesideDaemons(types, request, daemons, problem);
  if (besideDaemonSets) return besideDaemonSets;
  // Each resource fits on some type, but no type has all of them.
  const criteria = Object.entries(cls.spec.requests)
    .filter(([name, amount]) => name !== PODS && amount > 0)
    .map(([name, amount]) => `${formatAmount(name, amount)} ${name}`)
    .join(', ');
  return { code: 'no-type-matches', fields: { criteria, missing: 'one type with all of it' } };
}

/** Explains that types are large enough, but DaemonSets take a host port of the pod on each of them. */
export function findDaemonPortConflict(
  types: Bitset,
  request: Vector,
  { spec }: PodClass,
  daemons: readonly DaemonGroup[],
  problem: Problem,
): Reason | undefined {
  if (!overlaps(types, findTypesHolding(daemons, request, problem))) return undefined;
  for (const { template, namespace, name } of problem.snapshot.daemonSets) {
    const port = findPortConflict(spec.hostPorts, template.spec.hostPorts);
    const isOnTypes = daemons.some(
      (group) => overlaps(group.types, types) && port && findPortConflict([port], group.hostPorts),
    );
    if (!port || !isOnTypes) continue;
    const other = `DaemonSet ${namespace}/${name} on each node`;
    const fields = { port: `host port ${port.protocol}/${port.port}`, other };
    return { code: 'host-port-conflict', fields };
  }
  return undefined;
}

/** With this many CPUs the user has probably forgotten the suffix m. */
const SUSPICIOUS_CPU_MILLI = 1_000_000_000;

function formatRequest(resource: string, amount: number): string {
  const text = formatAmount(resource, amount);
  return resource === CPU && amount >= SUSPICIOUS_CPU_MILLI ? `${text} (whole CPUs, not milli)` : text;
}

/** Explains that types are large enough for the pod, but not together with the DaemonSets. */
function findTooLargeBesideDaemons(
  types: Bitset,
  request: Vector,
  daemons: readonly DaemonGroup[],
  { columns, typeIndex }: Problem,
): Reason | undefined {
  for (const [column, resource] of columns.names.entries()) {
    const requested = at(request, column);
    if (requested <= 0) continue;
    const remaining = daemons.flatMap((group) => {
      const largest = findLargest(typeIndex, intersection(types, group.types), column);
      const taken = at(group.overhead, column);
      return largest ? [{ type: largest.type, taken, free: largest.amount - taken }] : [];
    });
    const [best] = remaining.toSorted((a, b) => b.free - a.free);
    if (!best || best.free >= requested) continue;
    const [requestedText, daemonsTake, free] = [requested, best.taken, Math.max(0, best.free)].map((amount) =>
      formatAmount(resource, amount),
    );
    const criteria = `${requestedText} ${resource} beside the ${daemonsTake} of DaemonSets`;
    const missing = `${resource}, of which ${best.type} has ${free} left`;
    return { code: 'no-type-matches', fields: { criteria, missing } };
  }
  return undefined;
}

/** Explains that types are large enough, but no offering is available where the pod may run. */
export function createNoOfferingReason({ where: all }: Narrowed, fitting: Bitset, problem: Problem): Reason {
  const { offerings, snapshot, typeIndex } = problem;
  const shiftedReason = findShiftReason(all, problem);
  const where = withoutShiftedZones(all, problem);
  if (shiftedReason && where.zones === 0) return shiftedReason;
  const zones = offerings.zones.filter((_, bit) => where.zones & (2 ** bit));
  const listed = CAPACITY_TYPES.filter((_, bit) => offerings.count(fitting, ofCapacityType(where, bit), false) > 0);
  if (listed.length > 0) return createOutOfCapacityReason(zones, listed, listTypeNames(fitting, typeIndex), snapshot);
  const capacityTypes = CAPACITY_TYPES.filter((_, bit) => where.capacityTypes & (2 ** bit));
  const fields = { capacityType: capacityTypes.join(' or '), zone: zones.join(', ') };
  return { code: 'no-offering-in-zone', fields };
}

const listTypeNames = (types: Bitset, { types: all }: TypeIndex): string[] => [
  ...new Set(listBits(types).map((type) => all[type]?.name ?? '')),
];

/** Names the earliest time at which one of the offerings is tried again. */
function createOutOfCapacityReason(
  zones: readonly string[],
  capacityTypes: readonly string[],
  types: readonly string[],
  { unavailable, takenAt }: ClusterSnapshot,
): Reason {
  const until = unavailable
    .filter(
      (offering) =>
        offering.until > takenAt &&
        (offering.instanceType === undefined || types.includes(offering.instanceType)) &&
        (offering.zone === undefined || zones.includes(offering.zone)) &&
        (offering.capacityType === undefined || capacityTypes.includes(offering.capacityType)),
    )
    .reduce((first, offering) => Math.min(first, offering.until), Number.POSITIVE_INFINITY);
  const [type = 'every type', ...others] = types;
  const fields = {
    type: others.length > 0 ? `${type} and ${others.length} more types` : type,
    capacityType: capacityTypes.join(' and '),
    zone: zones.join(', '),
    until: formatInstant(Number.isFinite(until) ? until : takenAt),
  };
  return { code: 'ice', fields };
}

/** Explains that pods wait because claims of this plan use the remaining reserved instances. */
export function createReservationRefusals(claims: readonly PlannedClaim[], { nodeTemplates }: Problem): PoolRefusal[] {
  const ids = claims.flatMap(({ claim }) => listReservationIds(claim));
  const reservations = [...new Set(ids)].toSorted().join(', ');
  return nodeTemplates.map(({ pool }) => ({
    pool: pool.name,
    reasons: [{ code: 'reservation-taken', fields: { reservations } }],
  }));
}

/** Explains that zonal shifts exclude some of the zones; undefined if no zone is shifted. */
export function findShiftReason({ zones }: OfferingScope, problem: Problem): Reason | undefined {
  const { offerings, snapshot } = problem;
  const activeShifts = listActiveShifts(snapshot).filter(
    ({ zone = '' }) => zones & (2 ** offerings.zones.indexOf(zone)),
  );
  if (activeShifts.length === 0) return undefined;
  const names = [...new Set(activeShifts.map(({ zone = '' }) => zone))].toSorted();
  const until = formatInstant(Math.min(...activeShifts.map((one) => one.until)));
  return { code: 'zonal-shift', fields: { zone: names.join(', '), until } };
}

/** Removes the shifted zones. */
function withoutShiftedZones(where: OfferingScope, { offerings, snapshot }: Problem): OfferingScope {
  const shiftedZones = new Set(listActiveShifts(snapshot).map(({ zone }) => zone));
  const zones = offerings.zones.reduce(
    (remaining, zone, bit) => (shiftedZones.has(zone) ? remaining & ~(2 ** bit) : remaining),
    where.zones,
  );
  return { ...where, zones };
}

const listActiveShifts = ({ unavailable, takenAt }: ClusterSnapshot) =>
  unavailable.filter(({ isShifted, until }) => isShifted && until > takenAt);
