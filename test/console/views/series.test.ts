import { describe, expect, it } from 'vitest';
import { type CostPoint, seriesView } from '../../../console/views/series.ts';
import { NOON } from '../../support/builders.ts';

const point = (at: number, spotHourlyUsd = 1): CostPoint => ({
  at,
  spotHourlyUsd,
  onDemandHourlyUsd: 2,
  pendingPods: 0,
  nodes: 3,
});
const HOUR = { from: NOON, to: NOON + 3_600_000 };

describe('the cost curve', () => {
  it('begins with the value from before its window', () => {
    const { points } = seriesView([point(NOON - 10, 5), point(NOON + 10, 6)], [], [], HOUR);

    expect(points.map(({ at, hourlyUsd }) => [at, hourlyUsd.spot])).toEqual([
      [NOON, 5],
      [NOON + 10, 6],
      [HOUR.to, 6],
    ]);
  });

  it('ends with the current value: a bound may have been read since the last step', () => {
    const bounds = [
      { at: NOON, hourlyUsd: 1.5 },
      { at: NOON + 20_000, hourlyUsd: 1.2 },
    ];
    const { points } = seriesView([point(NOON)], bounds, [], HOUR);

    expect(points.map(({ at, boundHourlyUsd }) => [at, boundHourlyUsd])).toEqual([
      [NOON, 1.5],
      [HOUR.to, 1.2],
    ]);
  });

  it('keeps the last of several steps within one pixel', () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => point(NOON + index * 360, index));
    const { points } = seriesView(steps, [], [], HOUR);

    expect(points.length).toBeLessThanOrEqual(1_202);
    expect(points.at(-1)?.hourlyUsd.spot).toBe(9_999);
  });

  it('shows a bound from the time it was read, and none before', () => {
    const bounds = [{ at: NOON + 20_000, hourlyUsd: 1.5 }];
    const { points } = seriesView([point(NOON + 10_000), point(NOON + 30_000)], bounds, [], HOUR);

    expect(points.map(({ boundHourlyUsd }) => boundHourlyUsd)).toEqual([undefined, 1.5, 1.5]);
  });

  it('marks actions, and not their consequences', () => {
    const event = { seq: 1, at: NOON, tone: 'good', objects: [], text: '' } as const;
    const { marks } = seriesView(
      [],
      [],
      [
        { ...event, kind: 'launch' },
        { ...event, kind: 'ready' },
      ],
      HOUR,
    );

    expect(marks.map(({ kind }) => kind)).toEqual(['launch']);
  });
});
