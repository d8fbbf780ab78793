import { parseArgs } from 'node:util';
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { planLikeKarpenter } from '../support/karpenter-disruption.ts';
import { runWeek, type WeekFigures, type WeekRun } from './weeks/run-week.ts';
import type { WeekMix } from './weeks/week-cluster.ts';

/** Approximate numbers of nodes at the peak. */
const PEAK_NODES = [50, 200] as const;
/** With and without rules of topology. */
const MIXES: readonly WeekMix[] = ['generic', 'spread'];

/** Our rules, with an option that saves more, and Karpenter's. */
const POLICIES = {
  mortise: {},
  // Nodes become empty by themselves, so evictions may cost more.
  'deletion-cost': {
    settings: {
      ...DEFAULT_SETTINGS,
      surplusNodes: 'TaintAndPodDeletionCost',
      evictionCostUsd: 0.02,
    },
  },
  karpenter: {
    decide: planLikeKarpenter,
    settings: { ...DEFAULT_SETTINGS, surplusNodes: 'Ignore', growthWindowMs: 0 },
  },
} as const satisfies Record<string, Pick<WeekRun, 'decide' | 'settings'>>;

type Policy = keyof typeof POLICIES;
const POLICY_NAMES: readonly Policy[] = ['mortise', 'deletion-cost', 'karpenter'];

interface WeekResult {
  readonly peakNodes: number;
  readonly mix: WeekMix;
  readonly seed: number;
  readonly days: number;
  readonly policy: Policy;
  readonly figures: WeekFigures;
}

/**
 * `npm run --silent bench -- weeks [--json] [--days N] [--seeds N] [--nodes N] [--mix NAME]
 * [--policy NAME]` simulates weeks of a cluster: under our rules, with deletion costs of pods, and under Karpenter's
 * rules. Small clusters (`--nodes 10`) suit comparisons.
 */
export async function benchWeeks(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      days: { type: 'string', default: '7' },
      seeds: { type: 'string', default: '1' },
      nodes: { type: 'string' },
      mix: { type: 'string' },
      policy: { type: 'string' },
    },
  });
  const results: WeekResult[] = [];
  const sizes = values.nodes === undefined ? PEAK_NODES : [Number(values.nodes)];
  const mixes = MIXES.filter((mix) => mix === (values.mix ?? mix));
  const policies = POLICY_NAMES.filter((policy) => policy === (values.policy ?? policy));
  for (const peakNodes of sizes) {
    for (const mix of mixes) {
      for (let seed = 1; seed <= Number(values.seeds); seed++) {
        for (const policy of policies) {
          const week = { peakNodes, mix, seed, days: Number(values.days) };
          const figures = await runWeek({ ...week, ...POLICIES[policy] });
          results.push({ ...week, policy, figures });
          process.stderr.write(`${toLine({ ...week, policy, figures })}\n`);
        }
      }
    }
  }
  process.stdout.write(
    values.json ? `${JSON.stringify({ weeks: results })}\n` : `${results.map(toLine).join('\n')}\n`,
  );
}

const toLine = ({ peakNodes, mix, seed, policy, figures }: WeekResult): string =>
  [
    `${mix} ${peakNodes} nodes, seed ${seed}, ${policy}:`,
    `$${figures.costUsd.toFixed(2)}, ${((figures.toBound - 1) * 100).toFixed(1)} % above the bound,`,
    `${((figures.toRepacked - 1) * 100).toFixed(1)} % above hourly re-packing,`,
    `${figures.evictionsPerPodDay.toFixed(3)} evictions per pod and day,`,
    `${figures.launches} launches, waits ${figures.waitMs.p50} and ${figures.waitMs.p99} ms,`,
    `nodes live ${(figures.nodeLifetimeMs.p50 / HOUR_MS).toFixed(1)} h,`,
    ...Object.entries(figures.distance).map(
      ([part, share]) => `${part} ${(share * 100).toFixed(1)} %,`,
    ),
    `peak ${figures.peakNodes}, ${JSON.stringify(figures.removals)}, ${(figures.tookMs / 1000).toFixed(0)} s`,
  ].join(' ');
