import { at, type Vector } from '../../data-structures/resource-vectors.ts';

/** Something that can be bought in any amount: what it costs, and what one of it covers. */
export interface LpColumn {
  readonly usd: number;
  /** Rows and how much of each, both of equal length; negative where it uses up. */
  readonly rows: readonly number[];
  readonly amounts: readonly number[];
}

/** Names the columns without listing them: there are too many. */
export interface LpColumns {
  /** For each row one that covers it alone, so that there is something to begin with. */
  readonly first: readonly LpColumn[];
  /** Some that cost less than what they cover is worth at these prices; none if there are none. */
  findBargains(prices: Vector): readonly LpColumn[];
}

/**
 * Covers a demand at the least cost, with fractions of columns, and tells what a unit of each row is
 * worth then: the linear programme min c·x, A x >= d, x >= 0, and the y of its dual
 * max d·y, A'y <= c, y >= 0.
 *
 * The revised simplex method: as many columns as rows are in use at any time, B of them with inverse
 * B⁻¹; y = c_B B⁻¹ are prices at which these pay off exactly. Whatever is a bargain at these prices
 * comes in for the one that runs out first; several are asked for at a time, since what was a bargain
 * often still is one when others have come in. It may stop early: prices are then a little off.
 *
 * @see Dantzig, Wolfe (1960), for columns that are made when they are asked for
 */
export function computeCoveringPrices(demand: Vector, { first, findBargains }: LpColumns): Vector {
  const size = demand.length;
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
    updatePrices(basis, inverse, prices);
    let column = findSurplusColumn(prices) ?? findBestColumn(offered, prices);
    if (!column) {
      offered = findBargains(prices);
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

/** Far more than it takes as a rule; what is left then is a matter of thousandths. */
const MAX_STEPS_PER_ROW = 12;

/** Smaller than this is rounding: rows are scaled to about 1. */
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

/** Covering more than is asked for comes in where a row has a price below nothing. */
function findSurplusColumn(prices: Vector): LpColumn | undefined {
  let worst = -1;
  for (let row = 0; row < prices.length; row++) {
    if (at(prices, row) < Math.min(-MIN_AMOUNT, worst < 0 ? 0 : at(prices, worst))) worst = row;
  }
  return worst < 0 ? undefined : { usd: 0, rows: [worst], amounts: [-1] };
}

/** The column that covers most for what it costs and uses up, if that is worth more. */
function findBestColumn(columns: readonly LpColumn[], prices: Vector): LpColumn | undefined {
  let [best, most]: [LpColumn | undefined, number] = [undefined, 1 + MIN_GAIN];
  for (const column of columns) {
    let [value, cost] = [0, column.usd];
    for (let entry = 0; entry < column.rows.length; entry++) {
      const amountUsd = at(prices, column.rows[entry] ?? 0) * (column.amounts[entry] ?? 0);
      if (amountUsd > 0) value += amountUsd;
      else cost -= amountUsd;
    }
    const ratio = value / Math.max(cost, MIN_AMOUNT);
    if (ratio > most) [best, most] = [column, ratio];
  }
  return best;
}

/** A gain of less than this share is rounding. */
const MIN_GAIN = 1e-7;

/** B⁻¹ a: how much of each column in use one of the new takes over. */
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
  let [leaving, least] = [-1, Infinity];
  for (let row = 0; row < used.length; row++) {
    if (at(entering, row) <= MIN_AMOUNT) continue;
    const steps = at(used, row) / at(entering, row);
    if (steps < least) [leaving, least] = [row, steps];
  }
  return leaving;
}

function pivot(inverse: Float64Array, used: Vector, entering: Vector, leaving: number): void {
  const size = used.length;
  const start = leaving * size;
  const divisor = at(entering, leaving);
  for (let column = 0; column < size; column++)
    inverse[start + column] = at(inverse, start + column) / divisor;
  used[leaving] = at(used, leaving) / divisor;
  for (let row = 0; row < size; row++) {
    const factor = row === leaving ? 0 : at(entering, row);
    if (factor === 0) continue;
    for (let column = 0; column < size; column++) {
      inverse[row * size + column] =
        at(inverse, row * size + column) - factor * at(inverse, start + column);
    }
    used[row] = Math.max(0, at(used, row) - factor * at(used, leaving));
  }
}
