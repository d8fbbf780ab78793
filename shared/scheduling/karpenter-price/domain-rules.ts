import type { TopologyGroup } from '../topology/topology.ts';
import type { MapIterationOrder } from './map-iteration-order.ts';

/** A topology rule, a pod and a host, for which the allowed domains are computed. */
export interface DomainQuestion {
  readonly group: Pick<TopologyGroup, 'kind' | 'domains' | 'maxSkew' | 'minDomains'>;
  readonly counts: ReadonlyMap<string, number>;
  /** True if the rule counts the pod itself. */
  readonly selectsSelf: boolean;
  /** True if the host may be in the domain. */
  readonly isOnHost: (domain: string) => boolean;
  /** True if the required terms of the pod allow the domain. */
  readonly isAllowedForPod: (domain: string) => boolean;
  /** Present for rules on the hostname: the host is the only domain. */
  readonly hostDomain?: string;
}

/**
 * Computes the domains that a rule allows for a pod on a host. An empty list means that the rule
 * forbids the host.
 */
export function computeAllowedDomains(question: DomainQuestion, mapOrder: MapIterationOrder): readonly string[] {
  switch (question.group.kind) {
    case 'spread':
      return findSpreadDomain(question, mapOrder);
    case 'affinity':
      return findAffinityDomains(question, mapOrder);
    case 'anti-affinity':
      return findAntiAffinityDomains(question);
  }
}

/**
 * Returns the domain with the fewest pods if the skew allows one more pod there. Map order breaks
 * ties.
 */
function findSpreadDomain(question: DomainQuestion, mapOrder: MapIterationOrder): readonly string[] {
  const { group, counts, selectsSelf, isOnHost, hostDomain } = question;
  const countOf = (domain: string) => counts.get(domain) ?? 0;
  const maxCount = group.maxSkew + findMinCount(question) - (selectsSelf ? 1 : 0);
  if (hostDomain !== undefined) return countOf(hostDomain) <= maxCount ? [hostDomain] : [];
  const allowed = group.domains.filter((domain) => isOnHost(domain) && countOf(domain) <= maxCount);
  const fewest = Math.min(...allowed.map(countOf));
  const isBest = (domain: string) => isOnHost(domain) && countOf(domain) === fewest;
  return toList(allowed.length > 0 ? mapOrder.findFirst(group.domains, isBest) : undefined);
}

/**
 * For the hostname the minimum is 0: Karpenter assumes that another, empty node is always possible.
 */
function findMinCount({ group, counts, isAllowedForPod, hostDomain }: DomainQuestion): number {
  const supported = hostDomain === undefined ? group.domains.filter(isAllowedForPod) : [];
  if (supported.length === 0 || supported.length < group.minDomains) return 0;
  return Math.min(...supported.map((domain) => counts.get(domain) ?? 0));
}

/**
 * Returns the domains that have matching pods. If there are none, a pod that matches its own rule
 * may be the first: Karpenter then takes one domain of the host and one of the pod from a map, and
 * a claim may keep both.
 */
function findAffinityDomains(question: DomainQuestion, mapOrder: MapIterationOrder): readonly string[] {
  const { group, counts, selectsSelf, isOnHost, isAllowedForPod, hostDomain } = question;
  const occupied = [...counts].filter(([domain, count]) => count > 0 && isAllowedForPod(domain));
  const joinable = occupied.flatMap(([domain]) => (isOnHost(domain) ? [domain] : []));
  if (joinable.length > 0) return joinable;
  if (!selectsSelf || occupied.length > 0) return [];
  if (hostDomain !== undefined) return isAllowedForPod(hostDomain) ? [hostDomain] : [];
  const sharedDomain = mapOrder.findFirst(group.domains, (domain) => isAllowedForPod(domain) && isOnHost(domain));
  return [...toList(sharedDomain), ...toList(mapOrder.findFirst(group.domains, isAllowedForPod))];
}

/** Returns every domain without matching pods. */
function findAntiAffinityDomains({
  group,
  counts,
  isOnHost,
  isAllowedForPod,
  hostDomain,
}: DomainQuestion): readonly string[] {
  const domains = hostDomain === undefined ? group.domains : [hostDomain];
  return domains.filter((domain) => (counts.get(domain) ?? 0) === 0 && isOnHost(domain) && isAllowedForPod(domain));
}

const toList = (domain: string | undefined): readonly string[] => (domain === undefined ? [] : [domain]);
