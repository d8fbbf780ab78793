import { describe, expect, it } from 'vitest';
import { computeAllowedDomains, type DomainQuestion } from '../../../shared/scheduling/karpenter-price/domain-rules.ts';
import { createMapIterationOrder } from '../../../shared/scheduling/karpenter-price/map-iteration-order.ts';

type Kind = DomainQuestion['group']['kind'];
type Asked = Partial<Omit<DomainQuestion, 'group' | 'counts'>> & {
  readonly counts?: Readonly<Record<string, number>>;
  readonly minDomains?: number;
};

/** Computes the allowed domains for a rule over the zones a, b and c with maxSkew 1. */
function listAllowed(kind: Kind, { counts = {}, minDomains = 0, ...overrides }: Asked = {}): string[] {
  const question: DomainQuestion = {
    group: { kind, domains: ['a', 'b', 'c'], maxSkew: 1, minDomains },
    counts: new Map(Object.entries(counts)),
    selectsSelf: true,
    isOnHost: (domain) => overrides.hostDomain === undefined || domain === overrides.hostDomain,
    isAllowedForPod: () => true,
    ...overrides,
  };
  return [...computeAllowedDomains(question, createMapIterationOrder(0))].toSorted();
}

const isA = (zone: string) => zone === 'a';
const isNotA = (zone: string) => zone !== 'a';

describe("Karpenter's topology spread", () => {
  it('allows the one domain with the fewest pods', () => {
    expect(listAllowed('spread', { counts: { a: 1, b: 1 } })).toEqual(['c']);
  });

  it('forbids the host if it only allows domains with more pods', () => {
    expect(listAllowed('spread', { counts: { a: 1 }, isOnHost: isA })).toEqual([]);
  });

  it('computes the minimum over the domains that the pod may use', () => {
    const counts = { b: 1, c: 1 };

    expect(listAllowed('spread', { counts, isAllowedForPod: isNotA, isOnHost: isNotA })).toHaveLength(1);
    expect(listAllowed('spread', { counts, isOnHost: isNotA })).toEqual([]);
  });

  it('takes 0 as the minimum if there are fewer domains than minDomains', () => {
    expect(listAllowed('spread', { counts: { a: 1, b: 1, c: 1 }, minDomains: 4 })).toEqual([]);
  });

  it('does not count a pod that the rule does not select', () => {
    expect(listAllowed('spread', { counts: { a: 1 }, isOnHost: isA, selectsSelf: false })).toEqual(['a']);
  });

  it('allows up to maxSkew pods for each host because another host is always empty', () => {
    expect(listAllowed('spread', { hostDomain: 'claim 1', counts: {} })).toEqual(['claim 1']);
    expect(listAllowed('spread', { hostDomain: 'claim 1', counts: { 'claim 1': 1 } })).toEqual([]);
  });
});

describe("Karpenter's pod affinity", () => {
  it('allows the domains that have matching pods', () => {
    expect(listAllowed('affinity', { counts: { a: 2, c: 1 } })).toEqual(['a', 'c']);
    expect(listAllowed('affinity', { counts: { a: 2 }, isOnHost: isNotA })).toEqual([]);
  });

  it('lets the first matching pod use a domain of the host and another one of the pod', () => {
    const domains = listAllowed('affinity', { isOnHost: isA });

    expect(domains).toContain('a');
    expect(domains.length).toBeLessThanOrEqual(2);
  });

  it('makes other pods wait for the pods that they must join', () => {
    expect(listAllowed('affinity', { selectsSelf: false })).toEqual([]);
  });

  it('uses a new domain if the pod may not use those with matching pods', () => {
    expect(listAllowed('affinity', { counts: { a: 1 }, isAllowedForPod: isNotA })).not.toContain('a');
    expect(listAllowed('affinity', { counts: { a: 1 }, isAllowedForPod: isNotA })).not.toEqual([]);
  });

  it('allows the host itself for a rule on the hostname', () => {
    expect(listAllowed('affinity', { hostDomain: 'claim 1' })).toEqual(['claim 1']);
    expect(listAllowed('affinity', { hostDomain: 'claim 1', counts: { 'claim 2': 1 } })).toEqual([]);
  });
});

describe("Karpenter's pod anti-affinity", () => {
  it('allows every domain without matching pods', () => {
    expect(listAllowed('anti-affinity', { counts: { b: 1 } })).toEqual(['a', 'c']);
    expect(listAllowed('anti-affinity', { hostDomain: 'claim 1', counts: { 'claim 1': 1 } })).toEqual([]);
  });
});
