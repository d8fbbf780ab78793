import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { formatAmount } from '../../model/quantity.ts';
import type { Reason } from '../../model/reasons.ts';
import { CPU, PODS } from '../../model/resources.ts';
import { formatInstant } from '../../model/time.ts';
import type { Narrowed } from '../instance-types/narrowing.ts';
import type { DaemonGroup } from '../instance-types/daemon-overhead.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { type Bitset, bitsOf, intersection } from '../data-structures/bitset.ts';
import { ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import { mostOf, type TypeIndex } from '../instance-types/type-index.ts';
import { at, type Vector } from '../data-structures/resource-vectors.ts';
import type { PlannedClaim, PoolRefusal } from '../../model/plans.ts';
import { reservationIds } from '../input/reservations.ts';
import type { Where } from '../instance-types/offering-index.ts';

/** No type is large enough, in one resource or in all of them at once. */
export function tooLarge(
  types: Bitset,
  request: Vector,
  cls: PodClass,
  daemons: readonly DaemonGroup[],
  problem: Problem,
): Reason {
  const { columns, index } = problem;
  for (const [column, resource] of columns.names.entries()) {
    const wanted = at(request, column);
    const most = wanted > 0 ? mostOf(index, types, column) : undefined;
    if (!most || most.amount >= wanted) continue;
    // Of a device that no type has, the largest says nothing.
    if (most.amount <= 0) {
      const criteria = `${formatAmount(resource, wanted)} ${resource}`;
      return { code: 'no-type-matches', fields: { criteria, missing: resource } };
    }
    const fields = {
      resource,
      request: requestText(resource, wanted),
      type: most.type,
      free: formatAmount(resource, most.amount),
    };
    return { code: 'too-large', fields };
  }
  const beside = besideDaemons(types, request, daemons, problem);
  if (beside) return beside;
  // Each resource fits somewhere, but no type has all of them.
  const criteria = Object.entries(cls.spec.requests)
    .filter(([name, amount]) => name !== PODS && amount > 0)
    .map(([name, amount]) => `${formatAmount(name, amount)} ${name}`)
    .join(', ');
  return { code: 'no-type-matches', fields: { criteria, missing: 'one type with all of it' } };
}

/** Somebody who writes so many CPUs has left out the m. */
const MANY_CPUS_MILLI = 1_000_000_000;

function requestText(resource: string, amount: number): string {
  const text = formatAmount(resource, amount);
  return resource === CPU && amount >= MANY_CPUS_MILLI ? `${text} (whole CPUs, not milli)` : text;
}

/** Types are large enough for the pod, but not with the DaemonSets that come along. */
function besideDaemons(
  types: Bitset,
  request: Vector,
  daemons: readonly DaemonGroup[],
  { columns, index }: Problem,
): Reason | undefined {
  for (const [column, resource] of columns.names.entries()) {
    const wanted = at(request, column);
    if (wanted <= 0) continue;
    const left = daemons.flatMap((group) => {
      const most = mostOf(index, intersection(types, group.types), column);
      const taken = at(group.overhead, column);
      return most ? [{ type: most.type, taken, free: most.amount - taken }] : [];
    });
    const [best] = left.toSorted((a, b) => b.free - a.free);
    if (!best || best.free >= wanted) continue;
    const [asked, daemonsTake, free] = [wanted, best.taken, Math.max(0, best.free)].map((amount) =>
      formatAmount(resource, amount),
    );
    const criteria = `${asked} ${resource} beside the ${daemonsTake} of DaemonSets`;
    const missing = `${resource}, of which ${best.type} has ${free} left`;
    return { code: 'no-type-matches', fields: { criteria, missing } };
  }
  return undefined;
}

/** Types are large enough, but EC2 has none where the pod may run, or nothing may be launched there. */
export function noOffering({ where: all }: Narrowed, fitting: Bitset, problem: Problem): Reason {
  const { offerings, snapshot, index } = problem;
  const shifted = shiftReason(all, problem);
  const where = outsideShifts(all, problem);
  if (shifted && where.zones === 0) return shifted;
  const zones = offerings.zones.filter((_, bit) => where.zones & (2 ** bit));
  const listed = CAPACITY_TYPES.filter(
    (_, bit) => offerings.count(fitting, ofCapacityType(where, bit), false) > 0,
  );
  if (listed.length > 0) return outOfCapacity(zones, listed, typeNames(fitting, index), snapshot);
  const capacityTypes = CAPACITY_TYPES.filter((_, bit) => where.capacityTypes & (2 ** bit));
  const fields = { capacityType: capacityTypes.join(' or '), zone: zones.join(', ') };
  return { code: 'no-offering-in-zone', fields };
}

const typeNames = (types: Bitset, { types: all }: TypeIndex): string[] => [
  ...new Set(bitsOf(types).map((type) => all[type]?.name ?? '')),
];

/** Until when at least one of the offerings is worth no try. */
function outOfCapacity(
  zones: readonly string[],
  capacityTypes: readonly string[],
  types: readonly string[],
  { unavailable, takenAt }: ClusterSnapshot,
): Reason {
  const until = unavailable
    .filter(
      (dry) =>
        dry.until > takenAt &&
        (dry.instanceType === undefined || types.includes(dry.instanceType)) &&
        (dry.zone === undefined || zones.includes(dry.zone)) &&
        (dry.capacityType === undefined || capacityTypes.includes(dry.capacityType)),
    )
    .reduce((first, dry) => Math.min(first, dry.until), Number.POSITIVE_INFINITY);
  const [type = 'every type', ...others] = types;
  const fields = {
    type: others.length > 0 ? `${type} and ${others.length} more types` : type,
    capacityType: capacityTypes.join(' and '),
    zone: zones.join(', '),
    until: formatInstant(Number.isFinite(until) ? until : takenAt),
  };
  return { code: 'ice', fields };
}

/** Of pods that wait for the next plan, for the claims of this one take what is reserved. */
export function reservationsTaken(
  claims: readonly PlannedClaim[],
  { templates }: Problem,
): PoolRefusal[] {
  const ids = claims.flatMap(({ claim }) => reservationIds(claim));
  const reservations = [...new Set(ids)].toSorted().join(', ');
  return templates.map(({ pool }) => ({
    pool: pool.name,
    reasons: [{ code: 'reservation-taken', fields: { reservations } }],
  }));
}

/** Why zones among these have nothing to offer at all; absent: none is shifted away from. */
export function shiftReason({ zones }: Where, problem: Problem): Reason | undefined {
  const { offerings, snapshot } = problem;
  const here = shiftsOf(snapshot).filter(
    ({ zone = '' }) => zones & (2 ** offerings.zones.indexOf(zone)),
  );
  if (here.length === 0) return undefined;
  const names = [...new Set(here.map(({ zone = '' }) => zone))].toSorted();
  const until = formatInstant(Math.min(...here.map((one) => one.until)));
  return { code: 'zonal-shift', fields: { zone: names.join(', '), until } };
}

/** What is left of where a pod may run. */
function outsideShifts(where: Where, { offerings, snapshot }: Problem): Where {
  const shifted = new Set(shiftsOf(snapshot).map(({ zone }) => zone));
  const zones = offerings.zones.reduce(
    (left, zone, bit) => (shifted.has(zone) ? left & ~(2 ** bit) : left),
    where.zones,
  );
  return { ...where, zones };
}

const shiftsOf = ({ unavailable, takenAt }: ClusterSnapshot) =>
  unavailable.filter(({ isShifted, until }) => isShifted && until > takenAt);
