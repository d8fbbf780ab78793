import { describe, expect, it } from 'vitest';
import type { SimulatedNode, Simulation } from '../../../cli/documents/simulation.ts';
import { simulationText } from '../../../cli/render/simulation.ts';
import { terminalOf } from '../../../cli/terminal/terminal.ts';
import { DAY_MS } from '../../../shared/model/time.ts';

const node = (launchedAtMs: number, removedAtMs?: number): SimulatedNode => ({
  claim: 'general-1',
  pool: 'general',
  type: 'm7g.large',
  zone: 'us-east-1a',
  capacityType: 'spot',
  hourlyUsd: 0.1,
  launchedAtMs,
  ...(removedAtMs === undefined ? {} : { removedAtMs }),
  pods: [],
});

const aSimulation = (over: Partial<Simulation> = {}): Simulation => ({
  seed: 1,
  simulatedMs: DAY_MS,
  pods: { total: 4980, ran: 4980, unplaced: [], waitMs: { p50: 47_000, p99: 81_000 } },
  nodes: [node(0, 100), node(50), node(100, 200)],
  costUsd: 318.42,
  boundUsd: 301.1,
  requested: { cpu: 0.81, memory: 0.74 },
  moves: { consolidations: 41, drifts: 0, expirations: 0, interruptions: 9 },
  evictionsPerPodDay: 0.21,
  ...over,
});

const plain = terminalOf({ write() {} }, {});
const textOf = (over: Partial<Simulation> = {}, terminal = plain): string =>
  simulationText(aSimulation(over), { tookMs: 6_120, prices: 'of the test' }, terminal);

describe('the text of a simulation', () => {
  it('has five lines', () => {
    expect(textOf()).toBe(
      [
        '24h simulated in 6.1s, seed 1     launched 3, removed 2, peak 2 nodes',
        'pods   4,980 ran, 0 unplaced      wait p50 47s, p99 1m21s',
        'cost   $318.42, lower bound $301.10 (+5.8 %)   requested: cpu 81 %, memory 74 %',
        'prices of the test',
        'moves  41 consolidations, 9 interruptions, 0.21 evictions per pod and day',
        '',
      ].join('\n'),
    );
  });

  it('shows what all pods packed anew each hour would have cost', () => {
    expect(textOf({ repackedUsd: 309.14 })).toContain(
      'memory 74 %\n       re-packed each hour $309.14 (+3.0 %)\nprices',
    );
  });

  it('shows how long removed nodes lived', () => {
    expect(textOf({ nodeLifetimeMs: { p50: 19_800_000, p10: 720_000 } })).toContain(
      'per pod and day\nnodes  lived p50 5h30m, p10 12m\n',
    );
  });

  it('names drifts and expirations if there were any', () => {
    const moves = { consolidations: 0, drifts: 2, expirations: 1, interruptions: 0 };

    expect(textOf({ moves })).toContain(
      'moves  0 consolidations, 2 drifts, 1 expiration, 0 interruptions, 0.21 evictions',
    );
  });

  it('prints equal reasons once, and lists every pod with --all', () => {
    const reasons = [
      {
        code: 'no-usable-pool',
        emitter: 'scheduling',
        text: 'no NodePool of an EC2NodeClass that could launch a node',
        fields: {},
      },
    ];
    const unplaced = ['a', 'b', 'c'].map((name) => ({ pod: `shop/${name}`, reasons }));
    const pods = { total: 3, ran: 0, unplaced };

    expect(textOf({ pods }).split('\n').slice(5)).toEqual([
      'unplaced shop/a and 2 more like it',
      '  no-usable-pool  no NodePool of an EC2NodeClass that could launch a node',
      '',
    ]);
    expect(textOf({ pods }, terminalOf({ write() {} }, {}, { all: true }))).toContain(
      'unplaced shop/a shop/b shop/c\n',
    );
  });

  it('aligns pools, codes and sentences', () => {
    const reasons = [
      { code: 'limit-reached', emitter: 'scheduling', text: 'cpu 48 of 48', fields: { pool: 'a' } },
      { code: 'too-large', emitter: 'scheduling', text: '64 cpu', fields: { pool: 'batch' } },
    ];
    const unplaced = [{ pod: 'shop/a', reasons }];

    expect(
      textOf({ pods: { total: 1, ran: 0, unplaced } })
        .split('\n')
        .slice(6, 8),
    ).toEqual(['  a      limit-reached  cpu 48 of 48', '  batch  too-large      64 cpu']);
  });

  it('cuts the unplaced pods after twenty different causes', () => {
    const unplaced = Array.from({ length: 25 }, (_, index) => ({
      pod: `shop/p${index}`,
      reasons: [{ code: 'x', emitter: 'any', text: `cause ${index}`, fields: {} }],
    }));
    const lines = textOf({ pods: { total: 25, ran: 0, unplaced } })
      .trimEnd()
      .split('\n');

    expect(lines.filter((line) => line.startsWith('unplaced'))).toHaveLength(20);
    expect(lines.at(-1)).toBe('and 5 more, --all');
  });
});
