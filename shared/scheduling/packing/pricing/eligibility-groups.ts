import { union } from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';
import { type EligibilityGroup, getSetNumbers, type PoolAccess } from './offer-groups.ts';

/** An eligibility group with its members. */
export interface EligibilityGroupOf<T> extends EligibilityGroup {
  readonly members: readonly T[];
}

/**
 * Groups pods by the nodes that they may use. Prices are computed by group, so if there are too
 * many groups, first zones and then pools are ignored. Such merged groups seem to have more options
 * than they have.
 */
export function groupByEligibility<T>(
  members: readonly T[],
  accessesOf: (member: T) => readonly PoolAccess[],
  problem: Problem,
  maxGroups: number = Infinity,
): EligibilityGroupOf<T>[] {
  const numberOf = getSetNumbers(problem);
  const accessesByMember = new Map(members.map((member) => [member, accessesOf(member)]));
  const toAccessKey = (member: T, includesScope: boolean): string =>
    (accessesByMember.get(member) ?? [])
      .map(({ template, allowed, where }) => {
        const scope = includesScope ? `${where.zones} ${where.capacityTypes}` : '';
        return `${template.pool.name} ${numberOf(allowed)} ${scope}`;
      })
      .join();
  const keys: ((member: T) => string)[] = [
    (member) => toAccessKey(member, true),
    (member) => toAccessKey(member, false),
    () => '',
  ];
  for (const key of keys) {
    const groups = [...Map.groupBy(members, key).values()];
    if (groups.length > maxGroups) continue;
    return groups.map((group) => ({
      members: group,
      accesses: mergeAccesses(group.flatMap((member) => accessesByMember.get(member) ?? [])),
    }));
  }
  return [];
}

/** Unites the accesses to each pool. */
export function mergeAccesses(accesses: readonly PoolAccess[]): PoolAccess[] {
  const byPool = new Map<PoolAccess['template'], PoolAccess>();
  for (const access of accesses) {
    const merged = byPool.get(access.template);
    byPool.set(access.template, merged ? mergeTwo(merged, access) : access);
  }
  return [...byPool.values()];
}

function mergeTwo(a: PoolAccess, b: PoolAccess): PoolAccess {
  const allowed = a.allowed === b.allowed ? a.allowed : union(a.allowed, b.allowed);
  const zones = a.where.zones | b.where.zones;
  const capacityTypes = a.where.capacityTypes | b.where.capacityTypes;
  if (allowed === a.allowed && zones === a.where.zones && capacityTypes === a.where.capacityTypes) {
    return a;
  }
  return { template: a.template, allowed, where: { zones, capacityTypes } };
}
