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
  it('begins with what held before its window', () => {
    const { points } = seriesView([point(NOON - 10, 5), point(NOON + 10, 6)], [], [], HOUR);

    expect(points.map(({ at, hourlyUsd }) => [at, hourlyUsd.spot])).toEqual([
      [NOON, 5],
      [NOON + 10, 6],
      [HOUR.to, 6],
    ]);
  });

  it('ends with what holds now: a bound may have been read since the last step', () => {
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

  it('of many steps within one pixel the last remains', () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => point(NOON + index * 360, index));
    const { points } = seriesView(steps, [], [], HOUR);

    expect(points.length).toBeLessThanOrEqual(1_202);
    expect(points.at(-1)?.hourlyUsd.spot).toBe(9_999);
  });

  it('a bound holds from when it was read, and none is drawn before', () => {
    const bounds = [{ at: NOON + 20_000, hourlyUsd: 1.5 }];
    const { points } = seriesView([point(NOON + 10_000), point(NOON + 30_000)], bounds, [], HOUR);

    expect(points.map(({ boundHourlyUsd }) => boundHourlyUsd)).toEqual([undefined, 1.5, 1.5]);
  });

  it('actions are marked, and what only follows from them is not', () => {
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
