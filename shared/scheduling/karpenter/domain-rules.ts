import type { TopologyGroup } from '../topology/topology.ts';
import type { Luck } from './luck.ts';

/** What one rule is asked about one pod on one host. */
export interface DomainQuestion {
  readonly group: Pick<TopologyGroup, 'kind' | 'domains' | 'maxSkew' | 'minDomains'>;
  readonly counts: ReadonlyMap<string, number>;
  /** Whether the rule counts the very pod that is asked for. */
  readonly selectsSelf: boolean;
  /** Whether the host may be in the domain. */
  readonly isHere: (domain: string) => boolean;
  /** Whether the pod may, whatever it would like besides. */
  readonly isForPod: (domain: string) => boolean;
  /** Of a rule on the hostname: the host is the only domain to choose. */
  readonly here?: string;
}

/** The domains that a rule leaves to a pod on a host; none: it keeps the pod out. */
export function domainsLeft(question: DomainQuestion, luck: Luck): readonly string[] {
  switch (question.group.kind) {
    case 'spread':
      return spread(question, luck);
    case 'affinity':
      return affinity(question, luck);
    case 'anti-affinity':
      return antiAffinity(question);
  }
}

/** The domain with the fewest pods, if the skew allows one more there; equal ones are drawn. */
function spread(question: DomainQuestion, luck: Luck): readonly string[] {
  const { group, counts, selectsSelf, isHere, here } = question;
  const countOf = (domain: string) => counts.get(domain) ?? 0;
  const most = group.maxSkew + leastCount(question) - (selectsSelf ? 1 : 0);
  if (here !== undefined) return countOf(here) <= most ? [here] : [];
  const open = group.domains.filter((domain) => isHere(domain) && countOf(domain) <= most);
  const fewest = Math.min(...open.map(countOf));
  const isBest = (domain: string) => isHere(domain) && countOf(domain) === fewest;
  return drawn(open.length > 0 ? luck.first(group.domains, isBest) : undefined);
}

/** There is always another host that is empty, so far as Karpenter is concerned. */
function leastCount({ group, counts, isForPod, here }: DomainQuestion): number {
  const supported = here === undefined ? group.domains.filter(isForPod) : [];
  if (supported.length === 0 || supported.length < group.minDomains) return 0;
  return Math.min(...supported.map((domain) => counts.get(domain) ?? 0));
}

/**
 * Domains with such pods. A pod of the kind that it looks for may found one where none can be joined:
 * then a domain of the host and one of its own are drawn, and a claim may stay open in both.
 */
function affinity(question: DomainQuestion, luck: Luck): readonly string[] {
  const { group, counts, selectsSelf, isHere, isForPod, here } = question;
  const taken = [...counts].filter(([domain, count]) => count > 0 && isForPod(domain));
  const joined = taken.flatMap(([domain]) => (isHere(domain) ? [domain] : []));
  if (joined.length > 0) return joined;
  if (!selectsSelf || taken.length > 0) return [];
  if (here !== undefined) return isForPod(here) ? [here] : [];
  const both = luck.first(group.domains, (domain) => isForPod(domain) && isHere(domain));
  return [...drawn(both), ...drawn(luck.first(group.domains, isForPod))];
}

/** Every domain without such pods. */
function antiAffinity({
  group,
  counts,
  isHere,
  isForPod,
  here,
}: DomainQuestion): readonly string[] {
  const domains = here === undefined ? group.domains : [here];
  return domains.filter(
    (domain) => (counts.get(domain) ?? 0) === 0 && isHere(domain) && isForPod(domain),
  );
}

const drawn = (domain: string | undefined): readonly string[] =>
  domain === undefined ? [] : [domain];
