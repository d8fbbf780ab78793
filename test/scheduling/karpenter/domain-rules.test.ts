import { describe, expect, it } from 'vitest';
import {
  type DomainQuestion,
  domainsLeft,
} from '../../../shared/scheduling/karpenter/domain-rules.ts';
import { luckOf } from '../../../shared/scheduling/karpenter/luck.ts';

type Kind = DomainQuestion['group']['kind'];
type Asked = Partial<Omit<DomainQuestion, 'group' | 'counts'>> & {
  readonly counts?: Readonly<Record<string, number>>;
  readonly minDomains?: number;
};

/** Of a rule over zones a, b and c, with maxSkew 1. */
function left(kind: Kind, { counts = {}, minDomains = 0, ...asked }: Asked = {}): string[] {
  const question: DomainQuestion = {
    group: { kind, domains: ['a', 'b', 'c'], maxSkew: 1, minDomains },
    counts: new Map(Object.entries(counts)),
    selectsSelf: true,
    isHere: (domain) => asked.here === undefined || domain === asked.here,
    isForPod: () => true,
    ...asked,
  };
  return [...domainsLeft(question, luckOf(0))].toSorted();
}

const isA = (zone: string) => zone === 'a';
const isNotA = (zone: string) => zone !== 'a';

describe('a spread, as Karpenter reads it', () => {
  it('leaves the one domain with the fewest pods', () => {
    expect(left('spread', { counts: { a: 1, b: 1 } })).toEqual(['c']);
  });

  it('keeps the pod out where only fuller domains are left to the host', () => {
    expect(left('spread', { counts: { a: 1 }, isHere: isA })).toEqual([]);
  });

  it('counts as fewest only domains that the pod may go to', () => {
    const counts = { b: 1, c: 1 };

    expect(left('spread', { counts, isForPod: isNotA, isHere: isNotA })).toHaveLength(1);
    expect(left('spread', { counts, isHere: isNotA })).toEqual([]);
  });

  it('takes the least for nothing where there are fewer domains than minDomains', () => {
    expect(left('spread', { counts: { a: 1, b: 1, c: 1 }, minDomains: 4 })).toEqual([]);
  });

  it('does not count a pod that it does not select', () => {
    expect(left('spread', { counts: { a: 1 }, isHere: isA, selectsSelf: false })).toEqual(['a']);
  });

  it('by host, allows as many as the skew, for another host is always empty', () => {
    expect(left('spread', { here: 'claim 1', counts: {} })).toEqual(['claim 1']);
    expect(left('spread', { here: 'claim 1', counts: { 'claim 1': 1 } })).toEqual([]);
  });
});

describe('affinity, as Karpenter reads it', () => {
  it('leaves the domains that have such pods', () => {
    expect(left('affinity', { counts: { a: 2, c: 1 } })).toEqual(['a', 'c']);
    expect(left('affinity', { counts: { a: 2 }, isHere: isNotA })).toEqual([]);
  });

  it('lets a pod of the kind found a domain of the host, and draws another besides', () => {
    const domains = left('affinity', { isHere: isA });

    expect(domains).toContain('a');
    expect(domains.length).toBeLessThanOrEqual(2);
  });

  it('makes other pods wait for those they are to join', () => {
    expect(left('affinity', { selectsSelf: false })).toEqual([]);
  });

  it('founds a domain where those with such pods are closed to the pod', () => {
    expect(left('affinity', { counts: { a: 1 }, isForPod: isNotA })).not.toContain('a');
    expect(left('affinity', { counts: { a: 1 }, isForPod: isNotA })).not.toEqual([]);
  });

  it('by host, founds this one or joins it', () => {
    expect(left('affinity', { here: 'claim 1' })).toEqual(['claim 1']);
    expect(left('affinity', { here: 'claim 1', counts: { 'claim 2': 1 } })).toEqual([]);
  });
});

describe('anti-affinity, as Karpenter reads it', () => {
  it('leaves every domain without such pods', () => {
    expect(left('anti-affinity', { counts: { b: 1 } })).toEqual(['a', 'c']);
    expect(left('anti-affinity', { here: 'claim 1', counts: { 'claim 1': 1 } })).toEqual([]);
  });
});
