import { formatAmount } from '../model/quantity.ts';
import type { Reason } from '../model/reasons.ts';
import { PODS } from '../model/resources.ts';
import { formatInstant } from '../model/time.ts';
import { type Bitset, forEachBit } from './bitset.ts';
import type { Narrowed } from './narrowing.ts';
import type { PodClass } from './pod-classes.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { Problem } from './problem.ts';
import { mostOf } from './type-index.ts';
import { at, type Vector } from './vectors.ts';

/** No type is large enough, in one resource or in all of them at once. */
export function tooLarge(types: Bitset, request: Vector, cls: PodClass, problem: Problem): Reason {
  const { columns, index } = problem;
  for (const [column, resource] of columns.names.entries()) {
    const wanted = at(request, column);
    const most = wanted > 0 ? mostOf(index, types, column) : undefined;
    if (!most || most.amount >= wanted) continue;
    const fields = {
      resource,
      request: formatAmount(resource, wanted),
      type: most.type,
      free: formatAmount(resource, most.amount),
    };
    return { code: 'too-large', fields };
  }
  // Each resource fits somewhere, but no type has all of them (or has them beside its DaemonSets).
  const criteria = Object.entries(cls.spec.requests)
    .filter(([name, amount]) => name !== PODS && amount > 0)
    .map(([name, amount]) => `${formatAmount(name, amount)} ${name}`)
    .join(', ');
  return { code: 'no-type-matches', fields: { criteria, missing: 'one type with all of it' } };
}

/** Types are large enough, but EC2 has none where the pod may run. */
export function noOffering({ where }: Narrowed, fitting: Bitset, problem: Problem): Reason {
  const { offerings, snapshot, index } = problem;
  const zones = offerings.zones.filter((_, bit) => where.zones & (2 ** bit));
  const capacityTypes = CAPACITY_TYPES.filter((_, bit) => where.capacityTypes & (2 ** bit));
  const names = new Set<string>();
  forEachBit(fitting, (type) => names.add(index.types[type]?.name ?? ''));
  const dry = snapshot.unavailable.find(
    ({ instanceType, until }) =>
      until > snapshot.takenAt && (instanceType === undefined || names.has(instanceType)),
  );
  if (dry && offerings.count(fitting, where, false) > 0) {
    const fields = {
      type: dry.instanceType ?? 'every type',
      capacityType: dry.capacityType ?? '',
      zone: dry.zone ?? 'every zone',
      until: formatInstant(dry.until),
    };
    return { code: 'ice', fields };
  }
  const fields = { capacityType: capacityTypes.join(' or '), zone: zones.join(', ') };
  return { code: 'no-offering-in-zone', fields };
}
