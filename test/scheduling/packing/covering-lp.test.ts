import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCoveringPrices, type LpColumn } from '../../../shared/scheduling/packing/pricing/covering-lp.ts';

const amount = fc.integer({ min: 1, max: 50 });
const machine = fc.record({ usd: amount, cpu: amount, memory: amount });

const columnOf = ({ usd, cpu, memory }: { usd: number; cpu: number; memory: number }): LpColumn => ({
  usd,
  rows: [0, 1],
  amounts: [cpu, memory],
});

const value = (prices: Float64Array, { rows, amounts }: LpColumn): number =>
  rows.reduce((sum, row, entry) => sum + (prices[row] ?? 0) * (amounts[entry] ?? 0), 0);

const pricesFor = (demand: readonly number[], columns: readonly [LpColumn, ...LpColumn[]]) =>
  computeCoveringPrices(Float64Array.from(demand), {
    first: [columns[0], columns[0]],
    findCheapColumns: () => columns,
  });

describe('shadow prices of the cheapest cover', () => {
  it('make each column of the optimal purchase worth exactly its price', () => {
    const lean: LpColumn = { usd: 2, rows: [0, 1], amounts: [2, 2] };
    const rich: LpColumn = { usd: 3, rows: [0, 1], amounts: [2, 6] };

    const prices = pricesFor([4, 8], [lean, rich]);

    expect(prices[0]).toBeCloseTo(0.75);
    expect(prices[1]).toBeCloseTo(0.25);
  });

  it('never make a column worth more than its price, and are never negative', () => {
    fc.assert(
      fc.property(amount, amount, fc.array(machine, { minLength: 1, maxLength: 8 }), (...drawn) => {
        const [cpu, memory, machines] = drawn;
        const [first, ...others] = machines.map(columnOf);
        if (!first) return;
        const columns: [LpColumn, ...LpColumn[]] = [first, ...others];
        const prices = pricesFor([cpu, memory], columns);

        for (const column of columns) {
          expect(value(prices, column)).toBeLessThanOrEqual(column.usd * (1 + 1e-6));
        }
        expect(Math.min(...prices)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
