import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { WorkMeter } from '../../data-structures/work-meter.ts';

/**
 * A column of the programme, which can be bought in any amount: its price, and how much of each row
 * one unit covers.
 */
export interface LpColumn {
  readonly usd: number;
  /**
   * Rows and amounts, both of equal length; an amount is negative if the column uses the row up.
   */
  readonly rows: readonly number[];
  readonly amounts: readonly number[];
}

/** Generates columns on demand, because there are too many to list. */
export interface LpColumns {
  /** A column for each row that covers it alone, as the first basis. */
  readonly first: readonly LpColumn[];
  /** Columns that cost less than their value at these prices; empty if there are none. */
  findCheapColumns(prices: Vector): readonly LpColumn[];
  /** Called before each step with the number of its operations. */
  readonly spend?: WorkMeter['spend'];
}

/**
 * Covers a demand at the least cost with fractions of columns, and returns the shadow price of each
 * row: the linear programme min c·x, A x >= d, x >= 0, and the y of its dual max d·y, A'y <= c, y
 * >= 0.
 *
 * The revised simplex method: the basis B has as many columns as there are rows, with the inverse
 * B⁻¹; y = c_B B⁻¹ are the prices at which the basis columns cost exactly their value. A column
 * that costs less than its value enters the basis for the one that runs out first. Several such
 * columns are generated at a time, because they often stay useful after others have entered. The
 * method may stop early; the prices are then not quite optimal.
 *
 * @see Dantzig, Wolfe (1960), for the generation of columns
 */
export function computeCoveringPrices(
  demand: Vector,
  { first, findCheapColumns, spend = () => {} }: LpColumns,
): Vector {
  const size = demand.length;
  // Before the matrix is allocated.
  spend(size * size);
  const basis = first.map((column, row) => toDiagonal(column, row));
  const inverse = new Float64Array(size * size);
  const used = new Float64Array(size);
  basis.forEach((column, row) => {
    const amount = column.amounts[0] ?? 1;
    inverse[row * size + row] = 1 / amount;
    used[row] = at(demand, row) / amount;
  });

  const prices = new Float64Array(size);
  const entering = new Float64Array(size);
  let offered: readonly LpColumn[] = [];
  for (let step = 0; step < MAX_STEPS_PER_ROW * (size + 1); step++) {
    spend(size * size * OPERATIONS_PER_ENTRY);
    updatePrices(basis, inverse, prices);
    let column = findSurplusColumn(prices) ?? findBestColumn(offered, prices);
    if (!column) {
      offered = findCheapColumns(prices);
      column = findBestColumn(offered, prices);
    }
    if (!column) break;
    transform(column, inverse, entering);
    const leaving = findLeavingRow(used, entering);
    if (leaving < 0) break;
    pivot(inverse, used, entering, leaving);
    basis[leaving] = column;
  }
  return prices.map((usd) => Math.max(0, usd));
}

/** Rarely reached; the remaining error is about a thousandth. */
const MAX_STEPS_PER_ROW = 12;

/** Each step reads and writes the matrix once, several entries in the time of one operation. */
const OPERATIONS_PER_ENTRY = 0.1;

/** Smaller amounts are rounding errors: rows are scaled to about 1. */
const MIN_AMOUNT = 1e-10;

function toDiagonal(column: LpColumn, row: number): LpColumn {
  const position = column.rows.indexOf(row);
  return { usd: column.usd, rows: [row], amounts: [column.amounts[position] ?? 1] };
}

function updatePrices(basis: readonly LpColumn[], inverse: Float64Array, prices: Vector): void {
  const size = prices.length;
  prices.fill(0);
  basis.forEach(({ usd }, row) => {
    if (usd === 0) return;
    for (let column = 0; column < size; column++) {
      prices[column] = at(prices, column) + usd * at(inverse, row * size + column);
    }
  });
}

/** A row with a negative price may be covered more than demanded. */
function findSurplusColumn(prices: Vector): LpColumn | undefined {
  let worst = -1;
  for (let row = 0; row < prices.length; row++) {
    if (at(prices, row) < Math.min(-MIN_AMOUNT, worst < 0 ? 0 : at(prices, worst))) worst = row;
  }
  return worst < 0 ? undefined : { usd: 0, rows: [worst], amounts: [-1] };
}

/**
 * Finds the column with the highest value for its cost; undefined if none is worth more than its
 * cost.
 */
function findBestColumn(columns: readonly LpColumn[], prices: Vector): LpColumn | undefined {
  let [best, maxRatio]: [LpColumn | undefined, number] = [undefined, 1 + MIN_GAIN];
  for (const column of columns) {
    let [value, cost] = [0, column.usd];
    for (let entry = 0; entry < column.rows.length; entry++) {
      const amountUsd = at(prices, column.rows[entry] ?? 0) * (column.amounts[entry] ?? 0);
      if (amountUsd > 0) value += amountUsd;
      else cost -= amountUsd;
    }
    const ratio = value / Math.max(cost, MIN_AMOUNT);
    if (ratio > maxRatio) [best, maxRatio] = [column, ratio];
  }
  return best;
}

/** Smaller gains are rounding errors. */
const MIN_GAIN = 1e-7;

/** Computes B⁻¹ a: the amount of each basis column that one unit of the new column replaces. */
function transform({ rows, amounts }: LpColumn, inverse: Float64Array, into: Vector): void {
  const size = into.length;
  for (let row = 0; row < size; row++) {
    let total = 0;
    for (let entry = 0; entry < rows.length; entry++) {
      total += at(inverse, row * size + (rows[entry] ?? 0)) * (amounts[entry] ?? 0);
    }
    into[row] = total;
  }
}

function findLeavingRow(used: Vector, entering: Vector): number {
  let [leaving, minRatio] = [-1, Infinity];
  for (let row = 0; row < used.length; row++) {
    if (at(entering, row) <= MIN_AMOUNT) continue;
    const steps = at(used, row) / at(entering, row);
    if (steps < minRatio) [leaving, minRatio] = [row, steps];
  }
  return leaving;
}

function pivot(inverse: Float64Array, used: Vector, entering: Vector, leaving: number): void {
  const size = used.length;
  const start = leaving * size;
  const divisor = at(entering, leaving);
  for (let column = 0; column < size; column++) inverse[start + column] = at(inverse, start + column) / divisor;
  used[leaving] = at(used, leaving) / divisor;
  for (let row = 0; row < size; row++) {
    const factor = row === leaving ? 0 : at(entering, row);
    if (factor === 0) continue;
    for (let column = 0; column < size; column++) {
      inverse[row * size + column] = at(inverse, row * size + column) - factor * at(inverse, start + column);
    }
    used[row] = Math.max(0, at(used, row) - factor * at(used, leaving));
  }
}
