import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoundMeter, createRepackingMeter } from '../../../cli/playground/simulation-meters.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { aFleet, web } from '../../disruption/fleet.ts';
import { NOON } from '../../support/builders.ts';

describe('the lower bound over time', () => {
  it('counts the smaller of two samples for the time between them', () => {
    const meter = createBoundMeter(NOON);
    meter.sample(NOON, 6);
    meter.sample(NOON + HOUR_MS / 2, 2);
    meter.sample(NOON + HOUR_MS, 4);

    expect(meter.totalUsd()).toBe(2);
  });

  it('is zero before the first sample', () => {
    const meter = createBoundMeter(NOON);
    meter.sample(NOON + HOUR_MS, 5);

    expect(meter.totalUsd()).toBe(0);
  });

  it('never exceeds what the highest sample would have cost throughout', () => {
    const samples = fc.array(fc.record({ stepMs: fc.nat(HOUR_MS), hourlyUsd: fc.nat(1_000) }));
    fc.assert(
      fc.property(samples, (steps) => {
        const meter = createBoundMeter(0);
        let at = 0;
        for (const { stepMs, hourlyUsd } of steps) {
          at += stepMs;
          meter.sample(at, hourlyUsd);
        }
        const maxHourlyUsd = Math.max(0, ...steps.map(({ hourlyUsd }) => hourlyUsd));

        expect(meter.totalUsd()).toBeLessThanOrEqual((maxHourlyUsd * at) / HOUR_MS + 1e-6);
      }),
    );
  });
});

describe('the cost of hourly re-packing', () => {
  /** Two nodes of $0.10 per hour, whose pods fit on one. */
  const fleetAt = (takenAt: number) => ({
    ...aFleet([
      { name: 'node-1', pods: [web('pod-1', 1)] },
      { name: 'node-2', pods: [web('pod-2', 1)] },
    ]),
    takenAt,
  });

  it('is as far above the bound as the samples of its hours are', () => {
    const meter = createRepackingMeter(NOON);
    meter.sample(fleetAt(NOON + HOUR_MS), 0.08);
    meter.sample(fleetAt(NOON + 2 * HOUR_MS), 0.05);

    expect(meter.totalUsd(0.13)).toBeCloseTo(0.2);
  });

  it('is sampled once an hour', () => {
    const meter = createRepackingMeter(NOON);
    meter.sample(fleetAt(NOON + HOUR_MS), 0.1);
    meter.sample(fleetAt(NOON + HOUR_MS + MINUTE_MS), 0.01);

    expect(meter.totalUsd(0.1)).toBeCloseTo(0.1);
  });

  it('is unknown within the first hour', () => {
    const meter = createRepackingMeter(NOON);
    meter.sample(fleetAt(NOON + HOUR_MS - 1), 0.08);

    expect(meter.totalUsd(0.08)).toBeUndefined();
  });
});
