import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTimes,
  countFits,
  createResourceColumns,
  sum,
  toVector,
  vectorToResources,
} from '../../../shared/scheduling/data-structures/resource-vectors.ts';

const columns = createResourceColumns(['cpu', 'memory'], ['pods', 'cpu', 'gpu']);
const anyAmounts = fc.record({
  cpu: fc.nat(10_000),
  memory: fc.nat(10_000),
  pods: fc.nat(100),
  gpu: fc.nat(8),
});

describe('resource vectors', () => {
  it('have one column per name, in order of first use', () => {
    expect(columns.names).toEqual(['cpu', 'memory', 'pods', 'gpu']);
  });

  it('convert to resources and back without zeros', () => {
    fc.assert(
      fc.property(anyAmounts, (amounts) => {
        const kept = Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0));

        expect(vectorToResources(columns, toVector(columns, amounts))).toEqual(kept);
      }),
    );
  });

  it('have no room for a resource without a column', () => {
    expect(vectorToResources(columns, toVector(columns, { cpu: 1, disk: 5 }))).toEqual({ cpu: 1 });
  });

  it('hold a request exactly as often as it fits', () => {
    fc.assert(
      fc.property(anyAmounts, anyAmounts, (expected, given) => {
        fc.pre(Object.values(expected).some((amount) => amount > 0));
        const [request, free] = [toVector(columns, expected), toVector(columns, given)];
        const times = countFits(request, free);
        const isLeft = (count: number) => {
          const remaining = free.slice();
          addTimes(remaining, request, -count);
          return remaining.every((amount) => amount >= 0);
        };

        expect(isLeft(times)).toBe(true);
        expect(isLeft(times + 1)).toBe(false);
      }),
    );
  });

  it('hold nothing if they are overdrawn', () => {
    expect(countFits(toVector(columns, { cpu: 1 }), Float64Array.of(-5, 0, 0, 0))).toBe(0);
  });

  it('are added without changing the operands', () => {
    const [a, b] = [toVector(columns, { cpu: 1 }), toVector(columns, { cpu: 2, gpu: 1 })];

    expect(vectorToResources(columns, sum(a, b))).toEqual({ cpu: 3, gpu: 1 });
    expect(vectorToResources(columns, a)).toEqual({ cpu: 1 });
  });
});
