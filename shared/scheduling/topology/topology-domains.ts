import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import { forEachBit } from '../data-structures/bitset.ts';
import { memoizePerSnapshot, type Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { inZone, ofCapacityType } from '../instance-types/offering-scope.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import type { TopologyRule } from './topology-rules.ts';

/**
 * Lists the values that a topology key can take on existing nodes and on nodes that some NodePool
 * could launch. Values that the NodePool's requirements exclude are not domains.
 */
export function listTopologyDomains(
  { key, filter }: Pick<TopologyRule, 'key' | 'filter'>,
  problem: Problem,
  present: ReadonlySet<string>,
): readonly string[] {
  // With nodeTaintsPolicy Honor, nodes whose taints the pod does not tolerate are not counted.
  const { tolerations } = filter ?? {};
  const tolerated = tolerations
    ? problem.nodeTemplates.filter(({ pool }) => !findUntoleratedTaint(pool.taints, tolerations))
    : problem.nodeTemplates;
  const launchable = tolerated.flatMap((template) => listLaunchableDomains(key, template, problem));
  return [...new Set([...present, ...launchable])].toSorted();
}

/** Domains of each NodePool, by topology key. */
const domainsByTemplate = memoizePerSnapshot(() => new Map<NodeClaimTemplate, Map<string, readonly string[]>>());

function listLaunchableDomains(key: string, template: NodeClaimTemplate, problem: Problem): readonly string[] {
  const byTemplate = domainsByTemplate(problem);
  const byKey = getOrCreate(byTemplate, template, () => new Map());
  return getOrCreate(byKey, key, () => listDomainsOfTemplate(key, template, problem));
}

function listDomainsOfTemplate(key: string, template: NodeClaimTemplate, problem: Problem): string[] {
  const { offerings } = problem;
  const isListed = (where: OfferingScope) => offerings.count(template.types, where, false) > 0;
  if (key === ZONE_LABEL) {
    return offerings.zones.filter((_, bit) => isListed(inZone(template.where, bit)));
  }
  if (key === CAPACITY_TYPE_LABEL) {
    return CAPACITY_TYPES.filter((_, bit) => isListed(ofCapacityType(template.where, bit)));
  }
  if (problem.typeIndex.isDecidedByType(key)) return listValuesOfTypes(key, template, problem);
  const requirement = template.requirements.get(key);
  return requirement && !requirement.complement ? [...requirement.values] : [];
}

function listValuesOfTypes(key: string, { types }: NodeClaimTemplate, { typeIndex }: Problem): string[] {
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const { labels, choices } = typeIndex.types[number] ?? {};
    for (const value of ownValue(choices, key) ?? []) values.add(value);
    const value = ownValue(choices, key) ? undefined : ownValue(labels, key);
    if (value !== undefined) values.add(value);
  });
  return [...values];
}
