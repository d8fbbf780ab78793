import { describe, expect, it } from 'vitest';
import { listAllowedStretches } from '../../shared/disruption/budget-stretches.ts';
import type { Budget } from '../../shared/model/nodes/node-pool.ts';
import { DAY_MS, HOUR_MS } from '../../shared/model/time.ts';
import { aNodePool, NOON } from '../support/builders.ts';

const aDay = { from: NOON, to: NOON + DAY_MS };
const withBudgets = (...budgets: readonly Budget[]) =>
  aNodePool({
    disruption: { consolidateAfterMs: 0, policy: 'WhenEmptyOrUnderutilized', budgets },
  });
const closedFrom = (hour: number, hours: number): Budget => ({
  nodes: '0',
  schedule: `0 ${hour} * * *`,
  durationMs: hours * HOUR_MS,
});

describe('the stretches of disruption budgets', () => {
  it('are one if no budget has a schedule', () => {
    expect(listAllowedStretches(withBudgets({ nodes: '20%' }), 'Empty', 10, aDay)).toEqual([{ ...aDay, nodes: 2 }]);
  });

  it('are without a limit if there is no budget', () => {
    expect(listAllowedStretches(withBudgets(), 'Empty', 10, aDay)).toEqual([{ ...aDay, nodes: Infinity }]);
  });

  it('change where a window opens and where it closes', () => {
    const pool = withBudgets({ nodes: '3' }, closedFrom(18, 2));
    expect(listAllowedStretches(pool, 'Drifted', 10, aDay)).toEqual([
      { from: NOON, to: NOON + 6 * HOUR_MS, nodes: 3 },
      { from: NOON + 6 * HOUR_MS, to: NOON + 8 * HOUR_MS, nodes: 0 },
      { from: NOON + 8 * HOUR_MS, to: aDay.to, nodes: 3 },
    ]);
  });

  it('begin inside a window that opened before', () => {
    const pool = withBudgets({ nodes: '3' }, closedFrom(11, 2));
    expect(listAllowedStretches(pool, 'Empty', 10, aDay)).toMatchObject([
      { from: NOON, to: NOON + HOUR_MS, nodes: 0 },
      { to: NOON + 23 * HOUR_MS, nodes: 3 },
      { to: aDay.to, nodes: 0 },
    ]);
  });

  it('leave out windows of other reasons', () => {
    const pool = withBudgets({ ...closedFrom(18, 2), reasons: ['Drifted'] });
    expect(listAllowedStretches(pool, 'Empty', 10, aDay)).toHaveLength(1);
  });
});
