import { HOSTNAME_LABEL, type Labels } from '../../model/labels.ts';
import type { Reason } from '../../model/reasons.ts';
import { formatSelector } from '../../model/selectors.ts';
import type { Alternative } from '../pods/relaxations.ts';
import { leastCount } from '../topology/domain-choice.ts';
import type { ClassTopology, TopologyGroup } from '../topology/topology.ts';

/** Who refuses: the reason says it in a field of that name. */
export type Refuser = { readonly pool: string } | { readonly node: string };

/** All else is met: a rule about where pods may be together is what holds the pod. */
export function topologyReason(
  refuser: Refuser,
  rules: ClassTopology,
  alternative: Alternative,
): Reason {
  for (const { group } of rules.owned.filter(({ group: { isSoft } }) => !isSoft)) {
    if (group.key !== HOSTNAME_LABEL && group.domains.length === 0) {
      return { code: 'unknown-label', fields: { ...refuser, key: group.key } };
    }
    if (group.kind === 'affinity') return affinityReason(refuser, group);
    if (group.kind === 'anti-affinity' && group.key !== HOSTNAME_LABEL) {
      return antiAffinityReason(refuser, group, takenDomains(group, group.counts));
    }
    if (group.kind === 'spread') return spreadReason(refuser, group, alternative);
  }
  const barring = rules.barredBy[0];
  if (barring) return antiAffinityReason(refuser, barring, takenDomains(barring, barring.owners));
  return {
    code: 'pod-not-considered',
    fields: { ...refuser, why: 'other pods of this batch came first' },
  };
}

/** Which rule keeps the pod off a node that is there. */
export function topologyReasonOfNode(
  node: string,
  labels: Labels,
  rules: ClassTopology,
  alternative: Alternative,
): Reason {
  const domainOf = ({ key }: TopologyGroup): string | undefined => labels[key];
  const isTaken = (counts: ReadonlyMap<string, number>, group: TopologyGroup) =>
    (counts.get(domainOf(group) ?? '') ?? 0) > 0;
  const barring = rules.barredBy.find((group) => isTaken(group.owners, group));
  if (barring) return antiAffinityReason({ node }, barring, [domainOf(barring) ?? '']);
  for (const { group } of rules.owned.filter(({ group: { isSoft } }) => !isSoft)) {
    if (domainOf(group) === undefined) {
      return { code: 'unknown-label', fields: { node, key: group.key } };
    }
    const taken = isTaken(group.counts, group);
    if (group.kind === 'affinity' && !taken) return affinityReason({ node }, group);
    if (group.kind === 'anti-affinity' && taken) {
      return antiAffinityReason({ node }, group, [domainOf(group) ?? '']);
    }
    if (group.kind === 'spread' && taken) return spreadReason({ node }, group, alternative);
  }
  return {
    code: 'pod-not-considered',
    fields: { node, why: 'other pods of this batch came first' },
  };
}

const affinityReason = (refuser: Refuser, { key, selector }: TopologyGroup): Reason => ({
  code: 'pod-affinity',
  fields: { ...refuser, key, selector: formatSelector(selector) },
});

/** The domain that a spread waits for: the emptiest, where nothing can be launched. */
export function domainAwaited(
  rules: ClassTopology,
  alternative: Alternative,
): { readonly key: string; readonly domain: string } | undefined {
  const spread = rules.owned.find(
    ({ group }) => group.kind === 'spread' && !group.isSoft && group.key !== HOSTNAME_LABEL,
  );
  const [domain] = spread ? emptiestOf(spread.group, alternative) : [];
  return spread && domain !== undefined ? { key: spread.group.key, domain } : undefined;
}

function emptiestOf(group: TopologyGroup, alternative: Alternative): string[] {
  const least = leastCount(group, alternative);
  return group.domains.filter((domain) => (group.counts.get(domain) ?? 0) <= least);
}

const takenDomains = (
  { domains, key }: TopologyGroup,
  counts: ReadonlyMap<string, number>,
): string[] =>
  (key === HOSTNAME_LABEL ? [...counts.keys()].toSorted() : domains).filter(
    (domain) => (counts.get(domain) ?? 0) > 0,
  );

function antiAffinityReason(
  refuser: Refuser,
  { key, selector }: TopologyGroup,
  taken: readonly string[],
): Reason {
  const other = formatSelector(selector);
  return { code: 'pod-anti-affinity', fields: { ...refuser, key, other, domains: listed(taken) } };
}

function spreadReason(refuser: Refuser, group: TopologyGroup, alternative: Alternative): Reason {
  const isOfHosts = group.key === HOSTNAME_LABEL;
  const domains = isOfHosts ? [...group.counts.keys()].toSorted() : group.domains;
  const counts = domains.map((domain) => `${domain} ${group.counts.get(domain) ?? 0}`);
  const fields = {
    ...refuser,
    key: group.key,
    maxSkew: `${group.maxSkew}`,
    counts: listed(counts),
    domain: isOfHosts ? 'a new host' : emptiestOf(group, alternative).join(', '),
  };
  return { code: 'topology-spread', fields };
}

/** The first 25: nobody reads more. */
const listed = (items: readonly string[]): string =>
  items.length <= 25 ? items.join(', ') : `${items.slice(0, 25).join(', ')} and more`;
