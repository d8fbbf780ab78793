import { union } from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';
import { type Access, type Crowd, numbersOfSets } from './offer-groups.ts';

/** A crowd with those who are in it. */
export interface CrowdOf<T> extends Crowd {
  readonly members: readonly T[];
}

/**
 * Sorts pods into crowds by what they may use. Prices are worked out by crowd, so there must not be
 * too many: zones are forgotten first, then the pools too. Crowds then seem to have more to choose
 * from than they have.
 */
export function crowdsOf<T>(
  members: readonly T[],
  accessesOf: (member: T) => readonly Access[],
  problem: Problem,
  most: number = Infinity,
): CrowdOf<T>[] {
  const numberOf = numbersOfSets(problem);
  const known = new Map(members.map((member) => [member, accessesOf(member)]));
  const poolsOf = (member: T, places: boolean): string =>
    (known.get(member) ?? [])
      .map(({ template, allowed, where }) => {
        const place = places ? `${where.zones} ${where.capacityTypes}` : '';
        return `${template.pool.name} ${numberOf(allowed)} ${place}`;
      })
      .join();
  const keys: ((member: T) => string)[] = [
    (member) => poolsOf(member, true),
    (member) => poolsOf(member, false),
    () => '',
  ];
  for (const key of keys) {
    const groups = [...Map.groupBy(members, key).values()];
    if (groups.length > most) continue;
    return groups.map((group) => ({
      members: group,
      accesses: merged(group.flatMap((member) => known.get(member) ?? [])),
    }));
  }
  return [];
}

/** What at least one of them allows. */
export function merged(accesses: readonly Access[]): Access[] {
  const byPool = new Map<Access['template'], Access>();
  for (const access of accesses) {
    const known = byPool.get(access.template);
    byPool.set(access.template, known ? either(known, access) : access);
  }
  return [...byPool.values()];
}

function either(a: Access, b: Access): Access {
  const allowed = a.allowed === b.allowed ? a.allowed : union(a.allowed, b.allowed);
  const zones = a.where.zones | b.where.zones;
  const capacityTypes = a.where.capacityTypes | b.where.capacityTypes;
  if (allowed === a.allowed && zones === a.where.zones && capacityTypes === a.where.capacityTypes) {
    return a;
  }
  return { template: a.template, allowed, where: { zones, capacityTypes } };
}
