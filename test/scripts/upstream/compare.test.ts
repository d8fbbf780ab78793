import { describe, expect, it } from 'vitest';
import { classify } from '../../../scripts/upstream/classified.ts';
import { compareFacts } from '../../../scripts/upstream/compare.ts';
import { listCrdFacts } from '../../../scripts/upstream/crd-facts.ts';
import type { Fact } from '../../../scripts/upstream/fact.ts';
import { listOurFacts } from '../../../scripts/upstream/our-facts.ts';
import { CRDS } from '../../../shared/api/custom-resources/crds.ts';

const metric = (name: string, value: string): Fact => ({ kind: 'metric', name, value });
const ours = listOurFacts();

/** Our own CRDs, with one more field in the spec of EC2NodeClass: a Karpenter of the future. */
const withNewField = (): readonly Fact[] =>
  CRDS.flatMap((crd) => {
    const copy: unknown = JSON.parse(
      JSON.stringify(crd).replace('"amiFamily":{', '"hibernation":{"type":"boolean"},"amiFamily":{'),
    );
    return listCrdFacts(copy);
  });

describe('the comparison with Karpenter', () => {
  it('finds no difference to itself', () => {
    expect(compareFacts(ours, ours)).toEqual([]);
  });

  it('names a field that a newer CRD has', () => {
    const fields = CRDS.flatMap(listCrdFacts);

    expect(compareFacts(withNewField(), fields)).toMatchObject([
      { id: 'field EC2NodeClass.spec.hibernation type: absent', theirs: '"boolean"' },
    ]);
  });

  it('names a field that a newer CRD has lost, and one whose constraint changed', () => {
    const fields = ours.filter(({ kind }) => kind === 'field');
    const theirs = fields.flatMap((fact) => {
      if (fact.name === 'NodePool.spec.weight type') return [];
      return [fact.name === 'NodePool.spec.weight maximum' ? { ...fact, value: '200' } : fact];
    });

    expect(compareFacts(theirs, fields)).toMatchObject([
      { id: 'field NodePool.spec.weight maximum: differs', theirs: '200', ours: '100' },
      { id: 'field NodePool.spec.weight type: only ours' },
    ]);
  });

  it('compares metrics by kind and labels, and by kind alone if Karpenter computes the labels', () => {
    const own = [
      metric('karpenter_a', 'gauge of zone'),
      metric('karpenter_b', 'gauge of zone'),
      metric('karpenter_c', 'histogram of zone'),
      metric('mortise_d', 'gauge of no labels'),
    ];
    const theirs = [
      metric('karpenter_a', 'gauge of nodepool, zone'),
      metric('karpenter_b', 'gauge'),
      metric('karpenter_c', 'summary'),
    ];

    expect(compareFacts(theirs, own).map(({ id }) => id)).toEqual([
      'label karpenter_a{nodepool}: absent',
      'metric karpenter_c: differs',
    ]);
  });
});

describe('the lines of the page', () => {
  const [difference] = compareFacts([metric('karpenter_a', 'gauge of zone')], []);
  const line = `| A reason. | \`metric karpenter_a: absent\` ${difference?.digest} |`;

  it('classify a difference as long as Karpenter does not change its side', () => {
    const later = compareFacts([metric('karpenter_a', 'gauge of zone, arch')], []);
    const now = difference ? [difference] : [];

    expect(classify(now, line, '')).toEqual({ unclassified: [], outdated: [] });
    expect(classify(later, line, '')).toEqual({ unclassified: later, outdated: [] });
    expect(classify(now, '', '')).toEqual({ unclassified: now, outdated: [] });
  });

  it('are outdated once there is no difference', () => {
    expect(classify([], line, '').outdated).toEqual(['metric karpenter_a: absent']);
  });

  it('are not needed for metrics that the page of metrics lists as absent', () => {
    const page = '## Metrics of Karpenter that are absent\n| `karpenter_a` | A reason. |';

    expect(classify(difference ? [difference] : [], '', page).unclassified).toEqual([]);
  });
});
