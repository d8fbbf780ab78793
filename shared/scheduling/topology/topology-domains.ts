import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { untoleratedTaint } from '../../model/requirements/taints.ts';
import { forEachBit } from '../data-structures/bitset.ts';
import { oncePrepared } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { inZone, ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import type { TopologyRule } from './topology-rules.ts';

/**
 * The values that a topology key can take: on nodes that are there, and on nodes that some pool
 * could launch. Excluded values are no domains, whoever names them.
 */
export function listTopologyDomains(
  { key, filter }: Pick<TopologyRule, 'key' | 'filter'>,
  problem: Problem,
  present: ReadonlySet<string>,
): readonly string[] {
  // With nodeTaintsPolicy Honor, nodes that the pod may not enter are no place to count.
  const { tolerations } = filter ?? {};
  const tolerated = tolerations
    ? problem.templates.filter(({ pool }) => !untoleratedTaint(pool.taints, tolerations))
    : problem.templates;
  const launchable = tolerated.flatMap((template) => listLaunchableDomains(key, template, problem));
  return [...new Set([...present, ...launchable])].toSorted();
}

/** Of each pool, by topology key. */
const domainsByTemplate = oncePrepared(
  () => new Map<NodeClaimTemplate, Map<string, readonly string[]>>(),
);

function listLaunchableDomains(
  key: string,
  template: NodeClaimTemplate,
  problem: Problem,
): readonly string[] {
  const byTemplate = domainsByTemplate(problem);
  const byKey = byTemplate.get(template) ?? new Map<string, readonly string[]>();
  byTemplate.set(template, byKey);
  const domains = byKey.get(key) ?? listDomainsOfTemplate(key, template, problem);
  byKey.set(key, domains);
  return domains;
}

function listDomainsOfTemplate(
  key: string,
  template: NodeClaimTemplate,
  problem: Problem,
): string[] {
  const { offerings } = problem;
  const isListed = (where: OfferingScope) => offerings.count(template.types, where, false) > 0;
  if (key === ZONE_LABEL) {
    return offerings.zones.filter((_, bit) => isListed(inZone(template.where, bit)));
  }
  if (key === CAPACITY_TYPE_LABEL) {
    return CAPACITY_TYPES.filter((_, bit) => isListed(ofCapacityType(template.where, bit)));
  }
  if (problem.index.isDecidedByType(key)) return listValuesOfTypes(key, template, problem);
  const requirement = template.requirements.get(key);
  return requirement && !requirement.complement ? [...requirement.values] : [];
}

function listValuesOfTypes(
  key: string,
  { types }: NodeClaimTemplate,
  { index }: Problem,
): string[] {
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const { labels, choices } = index.types[number] ?? {};
    for (const value of choices?.[key] ?? []) values.add(value);
    const value = choices?.[key] ? undefined : labels?.[key];
    if (value !== undefined) values.add(value);
  });
  return [...values];
}
