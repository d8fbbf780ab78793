import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { untoleratedTaint } from '../../model/taints.ts';
import type { Problem } from '../input/problem.ts';
import { oncePrepared } from '../input/memo.ts';
import { forEachBit } from '../data-structures/bitset.ts';
import type { Where } from '../instance-types/offering-index.ts';
import { atZone, ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import type { Template } from '../instance-types/node-claim-templates.ts';
import type { TopologyRule } from './topology-rules.ts';

/**
 * The values that a topology key can take: on nodes that are there, and on nodes that some pool
 * could launch. Excluded values are no domains, whoever names them.
 */
export function domainsOf(
  { key, filter }: Pick<TopologyRule, 'key' | 'filter'>,
  problem: Problem,
  present: ReadonlySet<string>,
): readonly string[] {
  // With nodeTaintsPolicy Honor, nodes that the pod may not enter are no place to count.
  const { tolerations } = filter ?? {};
  const open = tolerations
    ? problem.templates.filter(({ pool }) => !untoleratedTaint(pool.taints, tolerations))
    : problem.templates;
  const launchable = open.flatMap((template) => launchableDomains(key, template, problem));
  return [...new Set([...present, ...launchable])].toSorted();
}

/** Of each pool, by topology key. */
const knownDomains = oncePrepared(() => new Map<Template, Map<string, readonly string[]>>());

function launchableDomains(key: string, template: Template, problem: Problem): readonly string[] {
  const known = knownDomains(problem);
  const byKey = known.get(template) ?? new Map<string, readonly string[]>();
  known.set(template, byKey);
  const domains = byKey.get(key) ?? domainsOfTemplate(key, template, problem);
  byKey.set(key, domains);
  return domains;
}

function domainsOfTemplate(key: string, template: Template, problem: Problem): string[] {
  const { offerings } = problem;
  const isListed = (where: Where) => offerings.count(template.types, where, false) > 0;
  if (key === ZONE_LABEL) {
    return offerings.zones.filter((_, bit) => isListed(atZone(template.where, bit)));
  }
  if (key === CAPACITY_TYPE_LABEL) {
    return CAPACITY_TYPES.filter((_, bit) => isListed(ofCapacityType(template.where, bit)));
  }
  if (problem.index.decides(key)) return valuesOfTypes(key, template, problem);
  const requirement = template.requirements.get(key);
  return requirement && !requirement.complement ? [...requirement.values] : [];
}

function valuesOfTypes(key: string, { types }: Template, { index }: Problem): string[] {
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const { labels, choices } = index.types[number] ?? {};
    for (const value of choices?.[key] ?? []) values.add(value);
    const value = choices?.[key] ? undefined : labels?.[key];
    if (value !== undefined) values.add(value);
  });
  return [...values];
}
