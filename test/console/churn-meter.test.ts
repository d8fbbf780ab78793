import { describe, expect, it } from 'vitest';
import { churnMeter } from '../../console/history/churn-meter.ts';
import { describeChurn } from '../../console/page/timeline/describe-churn.ts';
import type { NodeSpan } from '../../console/timeline-views.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';

const evicted = (at: number) =>
  ({
    kind: 'evicted',
    at,
    claim: 'general-1',
    node: 'node-1',
    pod: 'default/web',
    reason: 'Underutilized',
  }) as const;
const running = (count: number) => Array.from({ length: count }, () => ({ state: 'running', daemon: false }) as const);
const lived = (hours: number): NodeSpan => ({
  name: `node-${hours}`,
  pool: 'general',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  bornAt: NOON - hours * HOUR_MS,
  readyAt: NOON - hours * HOUR_MS + MINUTE_MS,
  goneAt: NOON,
});
const DAY = { from: NOON - 12 * HOUR_MS, to: NOON + 12 * HOUR_MS };

describe('the churn of a window', () => {
  it('is the number of evictions against the days that pods ran', () => {
    const meter = churnMeter();
    meter.update(NOON - 12 * HOUR_MS, running(4));
    meter.learn(evicted(NOON - HOUR_MS));
    meter.learn(evicted(NOON));
    meter.update(NOON, [...running(2), { state: 'running', daemon: true }]);
    meter.update(NOON + 12 * HOUR_MS, []);

    // Four pods for half a day, then two.
    expect(meter.view(DAY, [])).toEqual({ evictions: 2, evictionsPerPodDay: 2 / 3 });
  });

  it('contains the lifetimes of the nodes that went in it', () => {
    const nodes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(lived);
    const { goneAt: _, ...stays } = lived(99);

    expect(churnMeter().view(DAY, [...nodes, stays]).lifetimeMs).toEqual({
      p50: 6 * HOUR_MS,
      p10: 2 * HOUR_MS,
    });
  });

  it('counts no lifetime of a NodeClaim for which EC2 had no capacity', () => {
    const { readyAt: _, ...refused } = { ...lived(1), bornAt: NOON - 1_000 };

    expect(churnMeter().view(DAY, [lived(3), refused]).lifetimeMs).toEqual({
      p50: 3 * HOUR_MS,
      p10: 3 * HOUR_MS,
    });
  });

  it('leaves out what was forgotten, and what is outside', () => {
    const meter = churnMeter();
    meter.learn(evicted(NOON - HOUR_MS));
    meter.learn(evicted(NOON));
    const early = { from: NOON - 2 * HOUR_MS, to: NOON - MINUTE_MS };

    expect(meter.view(early, [])).toEqual({ evictions: 1 });
    meter.forget(NOON);
    expect(meter.view(early, [])).toEqual({ evictions: 0 });
  });
});

describe('the sentence about churn', () => {
  it('has rate and lifetimes once they are known', () => {
    expect(describeChurn({ evictions: 0 })).toBe('0 pods evicted');
    expect(
      describeChurn({
        evictions: 14,
        evictionsPerPodDay: 0.861,
        lifetimeMs: { p50: 6 * HOUR_MS, p10: 12 * MINUTE_MS },
      }),
    ).toBe('14 pods evicted (0.86 per pod and day); nodes that went lived 6 h (p50), 12 min (p10)');
  });
});
