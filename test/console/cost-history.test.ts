import { describe, expect, it } from 'vitest';
import { costHistory } from '../../console/history/cost-history.ts';
import type { CostRow } from '../../console/screen-views.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';

const rows = (costs: Readonly<Record<string, number>>): readonly CostRow[] =>
  Object.entries(costs).map(([name, hourlyUsd]) => ({
    ...{ name, pods: 1, hourlyUsd, onDemandHourlyUsd: hourlyUsd },
  }));

const by = (workload: Readonly<Record<string, number>>) => ({
  ...{ capacity: rows({ spot: 1 }), pool: rows({ general: 1 }), namespace: rows({ shop: 1 }) },
  workload: rows(workload),
});

const HOUR = { from: NOON - HOUR_MS, to: NOON + HOUR_MS };

describe('the cost over time', () => {
  it('has the groups with the largest sum first, then the free room', () => {
    const history = costHistory();
    history.add(NOON, by({ 'free room': 9, 'shop/web': 1, 'shop/cart': 2 }));
    history.add(NOON + MINUTE_MS, by({ 'free room': 9, 'shop/web': 5 }));

    expect(history.view('workload', HOUR, [])).toEqual({
      names: ['shop/web', 'shop/cart', 'free room'],
      points: [
        { at: NOON, hourlyUsd: [1, 2, 9] },
        { at: NOON + MINUTE_MS, hourlyUsd: [5, 0, 9] },
      ],
    });
  });

  it('adds up to the total however many workloads there are', () => {
    const history = costHistory();
    const many = Array.from({ length: 500 }, (_, index) => [`shop/w${index}`, 1 + index] as const);
    history.add(NOON, by({ ...Object.fromEntries(many), 'free room': 3 }));

    const { names, points } = history.view('workload', HOUR, []);
    expect(names).toEqual([
      ...['shop/w499', 'shop/w498', 'shop/w497', 'shop/w496', 'shop/w495', 'shop/w494'],
      ...['others', 'free room'],
    ]);
    const total = many.reduce((sum, [, usd]) => sum + usd, 3);
    expect(points[0]?.hourlyUsd.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(total);
  });

  it('begins a window with the cost that was valid at its start', () => {
    const history = costHistory();
    history.add(NOON - HOUR_MS, by({ 'shop/web': 1 }));
    history.add(NOON + MINUTE_MS, by({ 'shop/web': 2 }));

    const window = { from: NOON, to: NOON + HOUR_MS };
    const bounds = [{ at: NOON + MINUTE_MS, hourlyUsd: 0.5 }];
    expect(history.view('workload', window, bounds).points).toEqual([
      { at: NOON, hourlyUsd: [1] },
      { at: NOON + MINUTE_MS, hourlyUsd: [2], boundHourlyUsd: 0.5 },
    ]);
  });

  it('keeps nothing twice, and at most 1,200 moments from the first to the last', () => {
    const history = costHistory();
    const add = (minute: number, usd: number) => history.add(NOON + minute * MINUTE_MS, by({ 'shop/web': usd }));
    add(0, 1);
    add(1, 1);
    const window = { from: NOON, to: NOON + 10_000 * MINUTE_MS };
    expect(history.view('workload', window, []).points).toHaveLength(1);

    for (let minute = 2; minute < 5_000; minute += 1) add(minute, minute);
    const { points } = history.view('workload', window, []);
    expect(points.length).toBeLessThanOrEqual(1_200);
    expect([points[0]?.at, points.at(-1)?.at]).toEqual([NOON, NOON + 4_999 * MINUTE_MS]);
  });

  it('forgets all but the last moment before the history begins', () => {
    const history = costHistory();
    for (const minute of [0, 1, 2]) {
      history.add(NOON + minute * MINUTE_MS, by({ 'shop/web': minute + 1 }));
    }
    history.forget(NOON + MINUTE_MS);
    expect(history.view('workload', HOUR, []).points).toEqual([
      { at: NOON + MINUTE_MS, hourlyUsd: [2] },
      { at: NOON + 2 * MINUTE_MS, hourlyUsd: [3] },
    ]);
  });
});
