import { describe, expect, it } from 'vitest';
import { summarizeSimulation } from '../../../cli/playground/simulation-report.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import type { BilledNode, Ledger } from '../../../shared/simulation/world.ts';
import { NOON } from '../../support/builders.ts';

const aStay = (over: Partial<BilledNode> = {}): BilledNode => ({
  claim: 'general-1',
  pool: 'general',
  instanceType: 'm7g.large',
  zone: 'us-east-1a',
  capacityType: 'on-demand',
  hourlyUsd: 0.0816,
  launchedAt: NOON + 1_000.4,
  pods: ['shop/web-1'],
  ...over,
});

const aLedger = (over: Partial<Ledger> = {}): Ledger => ({
  billedNodes: [],
  points: [],
  costUsd: () => 0.1 + 0.2,
  ranPods: 0,
  waitsMs: [],
  requestedShare: () => ({ cpu: 0.5, memory: 0.25 }),
  evictions: 0,
  podDays: () => 0,
  finishedPods: 0,
  createdPods: 0,
  ...over,
});

const reportOf = (ledger: Partial<Ledger>) =>
  summarizeSimulation({
    seed: 1,
    startedAt: NOON,
    endedAt: NOON + HOUR_MS,
    ledger: aLedger(ledger),
    unplaced: [],
    costs: { boundUsd: 0.2 },
  });

describe('the report of a simulation', () => {
  it('counts node times from the start, in whole milliseconds', () => {
    const { nodes } = reportOf({ billedNodes: [aStay(), aStay({ removedAt: NOON + 9_999.6 })] });

    expect(nodes.map(({ launchedAtMs, removedAtMs }) => [launchedAtMs, removedAtMs])).toEqual([
      [1_000, undefined],
      [1_000, 10_000],
    ]);
  });

  it('has no costs if the region is not priced', () => {
    const report = summarizeSimulation({
      seed: 1,
      startedAt: NOON,
      endedAt: NOON + HOUR_MS,
      ledger: aLedger({ billedNodes: [aStay()] }),
      unplaced: [],
    });

    expect(report).not.toHaveProperty('costUsd');
    expect(report).not.toHaveProperty('boundUsd');
    expect(report.nodes[0]).not.toHaveProperty('hourlyUsd');
  });

  it('leaves out unknown values', () => {
    const report = reportOf({ billedNodes: [aStay()] });

    expect(report).not.toHaveProperty('evictionsPerPodDay');
    expect(report.pods).not.toHaveProperty('waitMs');
    expect(report.nodes[0]).not.toHaveProperty('removedAtMs');
  });

  it('reports the median and the 99th percentile of waits', () => {
    const waitsMs = Array.from({ length: 200 }, (_, index) => (200 - index) * 1_000);

    expect(reportOf({ waitsMs, ranPods: 200 }).pods).toMatchObject({
      ran: 200,
      waitMs: { p50: 100_000, p99: 198_000 },
    });
    expect(reportOf({ waitsMs: [7_000] }).pods.waitMs).toEqual({ p50: 7_000, p99: 7_000 });
  });

  it('reports the median and the tenth percentile of the lifetimes of removed nodes', () => {
    const billedNodes = Array.from({ length: 20 }, (_, index) =>
      aStay({ launchedAt: NOON, removedAt: NOON + (20 - index) * 1_000 }),
    );

    expect(reportOf({ billedNodes: [...billedNodes, aStay()] }).nodeLifetimeMs).toEqual({
      p50: 10_000,
      p10: 2_000,
    });
    expect(reportOf({ billedNodes: [aStay()] })).not.toHaveProperty('nodeLifetimeMs');
  });

  it('counts moves by the reason of the removal', () => {
    const stays = (['Underutilized', 'Empty', 'Drifted', 'Expired', 'Interrupted', 'Requested'] as const).map(
      (removal) => aStay({ removal, removedAt: NOON + HOUR_MS }),
    );

    expect(reportOf({ billedNodes: stays }).moves).toEqual({
      consolidations: 2,
      drifts: 1,
      expirations: 1,
      interruptions: 1,
    });
  });

  it('relates evictions to pods and days', () => {
    expect(reportOf({ evictions: 3, podDays: () => 12 }).evictionsPerPodDay).toBe(0.25);
  });

  it('rounds dollars to a millionth', () => {
    expect(reportOf({}).costUsd).toBe(0.3);
  });
});
