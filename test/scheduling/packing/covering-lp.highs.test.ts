import fc from 'fast-check';
import loadHighs from 'highs';
import { describe, expect, it } from 'vitest';
import { computeCoveringPrices, type LpColumn } from '../../../shared/scheduling/packing/pricing/covering-lp.ts';

const highs = await loadHighs();

const ROWS = 4;

/** A column for each row alone makes every demand coverable; the others cover several rows. */
const anyProgramme = fc.record({
  demand: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: ROWS, maxLength: ROWS }),
  single: fc.array(fc.integer({ min: 5, max: 90 }), { minLength: ROWS, maxLength: ROWS }),
  mixed: fc.array(
    fc.record({
      usd: fc.integer({ min: 1, max: 90 }),
      amounts: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: ROWS, maxLength: ROWS }),
    }),
    { minLength: 1, maxLength: 20 },
  ),
});

const toColumn = (usd: number, amounts: readonly number[]): LpColumn => {
  const rows = amounts.flatMap((amount, row) => (amount > 0 ? [row] : []));
  return { usd, rows, amounts: rows.map((row) => amounts[row] ?? 0) };
};

/** The programme in the LP format that HiGHS reads. */
function formatProgramme(demand: readonly number[], columns: readonly LpColumn[]): string {
  const objective = columns.map(({ usd }, index) => `${usd} x${index}`).join(' + ');
  const constraints = demand.map((amount, row) => {
    const terms = columns.flatMap(({ rows, amounts }, index) => {
      const entry = rows.indexOf(row);
      return entry < 0 ? [] : [`${amounts[entry]} x${index}`];
    });
    return ` r${row}: ${terms.join(' + ')} >= ${amount}`;
  });
  return `Minimize\n obj: ${objective}\nSubject To\n${constraints.join('\n')}\nEnd\n`;
}

describe('the linear programme', () => {
  it('has the same optimum as HiGHS finds', () => {
    fc.assert(
      fc.property(anyProgramme, ({ demand, single, mixed }) => {
        const first = single.map((usd, row) =>
          toColumn(
            usd,
            demand.map((_, other) => (other === row ? 1 : 0)),
          ),
        );
        const columns = [
          ...first,
          ...mixed
            .filter(({ amounts }) => amounts.some((amount) => amount > 0))
            .map(({ usd, amounts }) => toColumn(usd, amounts)),
        ];
        const solution = highs.solve(formatProgramme(demand, columns));

        const prices = computeCoveringPrices(Float64Array.from(demand), {
          first,
          findCheapColumns: () => columns,
        });

        const value = demand.reduce((sum, amount, row) => sum + amount * (prices[row] ?? 0), 0);
        expect(solution.Status).toBe('Optimal');
        expect(value / solution.ObjectiveValue).toBeCloseTo(1, 3);
      }),
    );
  });
});
