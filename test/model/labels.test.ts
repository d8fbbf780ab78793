import { describe, expect, it } from 'vitest';
import { normaliseLabelKey, WELL_KNOWN_LABELS } from '../../shared/model/labels.ts';
import { findNearestLabel } from '../../shared/model/nearest-label.ts';
import { matchesLabels, toRequirements } from '../../shared/model/requirements/requirements.ts';
import { selects } from '../../shared/model/requirements/selectors.ts';

describe('label keys', () => {
  it.each(['constructor', 'toString', '__proto__'])(
    'may be called %s without a mix-up with object properties',
    (key) => {
      const exists = { key, operator: 'Exists' } as const;

      expect(normaliseLabelKey(key)).toBe(key);
      expect(matchesLabels(toRequirements([exists]), {})).toBe(false);
      expect(selects({ matchLabels: {}, matchExpressions: [{ ...exists, values: [] }] }, {})).toBe(false);
    },
  );

  it.each([
    ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
    ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
    ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
    ['beta.kubernetes.io/os', 'kubernetes.io/os'],
    ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
    ['topology.ebs.csi.aws.com/zone', 'topology.kubernetes.io/zone'],
    ['team', 'team'],
  ])('map the legacy key %s to %s', (key, stable) => {
    expect(normaliseLabelKey(key)).toBe(stable);
  });

  it.each([
    ['zone', 'topology.kubernetes.io/zone'],
    ['nodepool', 'karpenter.sh/nodepool'],
    ['arch', 'kubernetes.io/arch'],
    ['region', 'topology.kubernetes.io/region'],
    ['capacity-type', 'karpenter.sh/capacity-type'],
    ['instance-type', 'node.kubernetes.io/instance-type'],
    ['node.io/zone', 'topology.kubernetes.io/zone'],
    ['topology.kubernetes.io/zones', 'topology.kubernetes.io/zone'],
    ['karpenter.k8s.aws/instance-familly', 'karpenter.k8s.aws/instance-family'],
    ['karpenter.k8s.aws/cpu', 'karpenter.k8s.aws/instance-cpu'],
    ['karpenter.k8s.was/instance-size', 'karpenter.k8s.aws/instance-size'],
    ['karpenter.sh/capacitytype', 'karpenter.sh/capacity-type'],
  ])('suggest for %s the key %s', (key, hint) => {
    expect(findNearestLabel(key)).toBe(hint);
  });

  it.each(['team', 'example.com/tier', 'example.com/size', 'example.com/zones', 'topology.kubernetes.io/zone'])(
    'give no suggestion for %s',
    (key) => {
      expect(findNearestLabel(key)).toBeUndefined();
    },
  );

  it('are all stable keys if they are well known', () => {
    for (const key of WELL_KNOWN_LABELS) expect(normaliseLabelKey(key)).toBe(key);
  });
});
