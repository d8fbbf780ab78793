import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatQuantities } from '../../../shared/kubernetes/writers/format-quantities.ts';
import { toResources } from '../../../shared/model/quantity.ts';
import { GIB, MIB } from '../../../shared/model/resources.ts';

describe('formatQuantities', () => {
  it.each([
    ['cpu', 2_000, '2'],
    ['cpu', 1_930, '1930m'],
    ['cpu', 0, '0'],
    ['memory', 8 * GIB, '8Gi'],
    ['memory', 7_680 * MIB, '7680Mi'],
    ['memory', 8 * GIB + 1, '8589934593'],
    ['memory', 0, '0'],
    ['ephemeral-storage', 20 * GIB, '20Gi'],
    ['pods', 2_048, '2048'],
    ['nvidia.com/gpu', 8, '8'],
  ])('formats %s of %d as %s', (name, amount, text) => {
    expect(formatQuantities({ [name]: amount })).toEqual({ [name]: text });
  });

  it('is reversible', () => {
    const amount = fc.nat({ max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(fc.record({ cpu: amount, memory: amount, pods: amount }), (resources) => {
        expect(toResources(formatQuantities(resources))).toEqual(resources);
      }),
    );
  });
});
