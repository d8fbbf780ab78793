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

describe('a toleration', () => {
  it.each<[string, Toleration]>([
    ['X02: Equal with the value', { key: 'test-key', operator: 'Equal', value: 'test-value' }],
    ['X02: Exists with the key', { key: 'test-key', operator: 'Exists' }],
    ['X02: Exists without a key', { operator: 'Exists' }],
    ['Exists with the effect', { operator: 'Exists', effect: 'NoSchedule' }],
  ])('answers a taint by %s', (_, toleration) => {
    expect(tolerates(toleration, TAINT)).toBe(true);
  });

  it.each<[string, Toleration]>([
    ['X03: another key', { key: 'other', operator: 'Exists' }],
    ['X03: another value', { key: 'test-key', operator: 'Equal', value: 'other' }],
    ['X03: no value', { key: 'test-key', operator: 'Equal' }],
    ['X03: another effect', { key: 'test-key', operator: 'Exists', effect: 'NoExecute' }],
    ['Equal without a key', { operator: 'Equal', value: 'test-value' }],
    ['a number for what is none', { key: 'test-key', operator: 'Gt', value: '1' }],
  ])('leaves a taint unanswered by %s', (_, toleration) => {
    expect(tolerates(toleration, TAINT)).toBe(false);
  });

  it('takes an empty value and an absent one for the same', () => {
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
  ])('%s %s of a taint valued 950 is %s', (operator, value, expected) => {
    const taint: Taint = { key: 'sla', value: '950', effect: 'NoSchedule' };

    expect(tolerates({ key: 'sla', operator, value }, taint)).toBe(expected);
  });

  it('Exists answers every taint, of every effect', () => {
    fc.assert(
      fc.property(anyTaint, (taint) => {
        expect(findUntoleratedTaint([taint], [{ operator: 'Exists' }])).toBeUndefined();
      }),
    );
  });
});

describe('taints of a node', () => {
  it('hold a pod off by the first that nothing answers, PreferNoSchedule too', () => {
    const soft: Taint = { key: 'soft', effect: 'PreferNoSchedule' };

    expect(findUntoleratedTaint([TAINT, soft], [{ key: 'test-key', operator: 'Exists' }])).toBe(
      soft,
    );
  });

  it('are one for each key and effect when they are merged', () => {
    const changed: Taint = { ...TAINT, value: 'other' };
    const harder: Taint = { ...TAINT, effect: 'NoExecute' };

    expect(mergeTaints([TAINT], [changed, harder])).toEqual([TAINT, harder]);
  });

  it('are the same after they are merged with themselves', () => {
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
  ])('go by themselves while a node settles: %s', (_, taint, expected) => {
    expect(isEphemeralTaint(taint)).toBe(expected);
  });

  it('read as kubectl writes them', () => {
    expect(formatTaint(TAINT)).toBe('test-key=test-value:NoSchedule');
    expect(formatTaint({ key: 'k', effect: 'NoExecute' })).toBe('k:NoExecute');
  });
});
