import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findUntoleratedTaint,
  formatTaint,
  isEphemeralTaint,
  mergeTaints,
  type Taint,
  type Toleration,
  tolerates,
} from '../../../shared/model/requirements/taints.ts';

const TAINT: Taint = { key: 'test-key', value: 'test-value', effect: 'NoSchedule' };
const anyTaint: fc.Arbitrary<Taint> = fc.record({
  key: fc.constantFrom('a', 'b'),
  value: fc.constantFrom('1', '2'),
  effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
});

describe('tolerates', () => {
  it.each<[string, Toleration]>([
    ['Equal with the value', { key: 'test-key', operator: 'Equal', value: 'test-value' }],
    ['Exists with the key', { key: 'test-key', operator: 'Exists' }],
    ['Exists without a key', { operator: 'Exists' }],
    ['Exists with the effect', { operator: 'Exists', effect: 'NoSchedule' }],
  ])('matches a taint by %s', (_, toleration) => {
    expect(tolerates(toleration, TAINT)).toBe(true);
  });

  it.each<[string, Toleration]>([
    ['another key', { key: 'other', operator: 'Exists' }],
    ['another value', { key: 'test-key', operator: 'Equal', value: 'other' }],
    ['no value', { key: 'test-key', operator: 'Equal' }],
    ['another effect', { key: 'test-key', operator: 'Exists', effect: 'NoExecute' }],
    ['Equal without a key', { operator: 'Equal', value: 'test-value' }],
    ['a number for what is none', { key: 'test-key', operator: 'Gt', value: '1' }],
  ])('does not match a taint by %s', (_, toleration) => {
    expect(tolerates(toleration, TAINT)).toBe(false);
  });

  it('treats an empty value like an absent one', () => {
    const taint: Taint = { key: 'k', effect: 'NoSchedule' };

    expect(tolerates({ key: 'k', operator: 'Equal', value: '' }, taint)).toBe(true);
    expect(tolerates({ key: 'k', operator: 'Equal' }, { ...taint, value: '' })).toBe(true);
  });

  it.each<['Gt' | 'Lt', string, boolean]>([
    ['Gt', '949', true],
    ['Gt', '950', false],
    ['Lt', '951', true],
    ['Lt', '950', false],
    ['Lt', 'many', false],
  ])('compares %s %s with a taint of the value 950: %s', (operator, value, expected) => {
    const taint: Taint = { key: 'sla', value: '950', effect: 'NoSchedule' };

    expect(tolerates({ key: 'sla', operator, value }, taint)).toBe(expected);
  });

  it('matches every taint of every effect with Exists', () => {
    fc.assert(
      fc.property(anyTaint, (taint) => {
        expect(findUntoleratedTaint([taint], [{ operator: 'Exists' }])).toBeUndefined();
      }),
    );
  });
});

describe('node taints', () => {
  it('exclude a pod by the first one without a toleration, including PreferNoSchedule', () => {
    const soft: Taint = { key: 'soft', effect: 'PreferNoSchedule' };

    expect(findUntoleratedTaint([TAINT, soft], [{ key: 'test-key', operator: 'Exists' }])).toBe(soft);
  });

  it('are merged to one for each key and effect', () => {
    const changed: Taint = { ...TAINT, value: 'other' };
    const harder: Taint = { ...TAINT, effect: 'NoExecute' };

    expect(mergeTaints([TAINT], [changed, harder])).toEqual([TAINT, harder]);
  });

  it('do not change if they are merged with themselves', () => {
    fc.assert(
      fc.property(fc.array(anyTaint), (taints) => {
        const once = mergeTaints([], taints);
        expect(mergeTaints(taints, taints)).toEqual(taints);
        expect(mergeTaints(once, taints)).toEqual(once);
      }),
    );
  });

  it.each<[string, Taint, boolean]>([
    ['not-ready', { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }, true],
    [
      'uninitialized',
      {
        key: 'node.cloudprovider.kubernetes.io/uninitialized',
        value: 'true',
        effect: 'NoSchedule',
      },
      true,
    ],
    ['a readiness gate', { key: 'readiness.k8s.io/gpu', effect: 'NoSchedule' }, true],
    ["the user's own", TAINT, false],
    ['unreachable for good', { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, false],
  ])('disappear while a node starts: %s', (_, taint, expected) => {
    expect(isEphemeralTaint(taint)).toBe(expected);
  });

  it('are formatted like in kubectl', () => {
    expect(formatTaint(TAINT)).toBe('test-key=test-value:NoSchedule');
    expect(formatTaint({ key: 'k', effect: 'NoExecute' })).toBe('k:NoExecute');
  });
});
