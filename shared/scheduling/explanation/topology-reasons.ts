import type { Reason } from '../../model/explanations/reasons.ts';
import { HOSTNAME_LABEL, type Labels } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import { formatSelector } from '../../model/requirements/selectors.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { findMinCount } from '../topology/allowed-domains.ts';
import type { ClassTopology, TopologyGroup } from '../topology/topology.ts';

/** The NodePool or node that refuses; the reason has a field of that name. */
export type RefusalSource = { readonly pool: string } | { readonly node: string };

/** Explains which topology rule excludes the NodePool, after all other conditions passed. */
export function findTopologyReason(source: RefusalSource, rules: ClassTopology, relaxation: Relaxation): Reason {
  for (const { group } of rules.owned.filter(({ group: { isSoft } }) => !isSoft)) {
    if (group.key !== HOSTNAME_LABEL && group.domains.length === 0) {
      return { code: 'unknown-label', fields: { ...source, key: group.key } };
    }
    if (group.kind === 'affinity') return createAffinityReason(source, group);
    if (group.kind === 'anti-affinity' && group.key !== HOSTNAME_LABEL) {
      return createAntiAffinityReason(source, group, listOccupiedDomains(group, group.counts));
    }
    if (group.kind === 'spread') return createSpreadReason(source, group, relaxation);
  }
  const barring = rules.barredBy[0];
  if (barring) return createAntiAffinityReason(source, barring, listOccupiedDomains(barring, barring.owners));
  return {
    code: 'pod-not-considered',
    fields: { ...source, why: 'other pods of this batch came first' },
  };
}

/** Explains which topology rule excludes an existing node. */
export function findTopologyReasonOfNode(
  node: string,
  labels: Labels,
  rules: ClassTopology,
  relaxation: Relaxation,
): Reason {
  const getDomain = ({ key }: TopologyGroup): string | undefined => ownValue(labels, key);
  const hasPods = (counts: ReadonlyMap<string, number>, group: TopologyGroup) =>
    (counts.get(getDomain(group) ?? '') ?? 0) > 0;
  const barring = rules.barredBy.find((group) => hasPods(group.owners, group));
  if (barring) return createAntiAffinityReason({ node }, barring, [getDomain(barring) ?? '']);
  for (const { group } of rules.owned.filter(({ group: { isSoft } }) => !isSoft)) {
    if (getDomain(group) === undefined) {
      return { code: 'unknown-label', fields: { node, key: group.key } };
    }
    const occupied = hasPods(group.counts, group);
    if (group.kind === 'affinity' && !occupied) return createAffinityReason({ node }, group);
    if (group.kind === 'anti-affinity' && occupied) {
      return createAntiAffinityReason({ node }, group, [getDomain(group) ?? '']);
    }
    if (group.kind === 'spread' && occupied) return createSpreadReason({ node }, group, relaxation);
  }
  return {
    code: 'pod-not-considered',
    fields: { node, why: 'other pods of this batch came first' },
  };
}

const createAffinityReason = (source: RefusalSource, { key, selector }: TopologyGroup): Reason => ({
  code: 'pod-affinity',
  fields: { ...source, key, selector: formatSelector(selector) },
});

/** Finds the domain that a spread waits for: the emptiest domain, where nothing can be launched. */
export function findAwaitedDomain(
  rules: ClassTopology,
  relaxation: Relaxation,
): { readonly key: string; readonly domain: string } | undefined {
  const spread = rules.owned.find(
    ({ group }) => group.kind === 'spread' && !group.isSoft && group.key !== HOSTNAME_LABEL,
  );
  const [domain] = spread ? listEmptiestDomains(spread.group, relaxation) : [];
  return spread && domain !== undefined ? { key: spread.group.key, domain } : undefined;
}

function listEmptiestDomains(group: TopologyGroup, relaxation: Relaxation): string[] {
  const minCount = findMinCount(group, relaxation);
  return group.domains.filter((domain) => (group.counts.get(domain) ?? 0) <= minCount);
}

const listOccupiedDomains = ({ domains, key }: TopologyGroup, counts: ReadonlyMap<string, number>): string[] =>
  (key === HOSTNAME_LABEL ? [...counts.keys()].toSorted() : domains).filter((domain) => (counts.get(domain) ?? 0) > 0);

function createAntiAffinityReason(
  source: RefusalSource,
  { key, selector }: TopologyGroup,
  occupied: readonly string[],
): Reason {
  const other = formatSelector(selector);
  return {
    code: 'pod-anti-affinity',
    fields: { ...source, key, other, domains: formatList(occupied) },
  };
}

function createSpreadReason(source: RefusalSource, group: TopologyGroup, relaxation: Relaxation): Reason {
  const isHostnameRule = group.key === HOSTNAME_LABEL;
  const domains = isHostnameRule ? [...group.counts.keys()].toSorted() : group.domains;
  const counts = domains.map((domain) => `${domain} ${group.counts.get(domain) ?? 0}`);
  const fields = {
    ...source,
    key: group.key,
    maxSkew: `${group.maxSkew}`,
    counts: formatList(counts),
    domain: isHostnameRule
      ? 'a new host'
      : listEmptiestDomains(group, relaxation).join(', ') || describeMissingDomain(group),
  };
  return { code: 'topology-spread', fields };
}

/** No known domain is empty enough: with fewer domains than `minDomains`, the smallest count is 0. */
const describeMissingDomain = ({ minDomains, domains }: TopologyGroup): string =>
  minDomains > domains.length
    ? `another domain: minDomains is ${minDomains}, ${domains.length} exist`
    : 'another domain';

/** Lists at most 25 items, to keep the message readable. */
const formatList = (items: readonly string[]): string =>
  items.length <= 25 ? items.join(', ') : `${items.slice(0, 25).join(', ')} and more`;
