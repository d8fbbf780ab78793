import { parseArgs } from 'node:util';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { planLikeKarpenter } from '../support/karpenter-disruption.ts';
import { runWeek, type WeekFigures } from './weeks/run-week.ts';
import type { WeekMix } from './weeks/week-cluster.ts';

/** Two sizes of cluster, with and without rules of topology. */
const WEEKS: readonly { readonly peakNodes: number; readonly mix: WeekMix }[] = [
  { peakNodes: 50, mix: 'generic' },
  { peakNodes: 50, mix: 'spread' },
  { peakNodes: 200, mix: 'generic' },
  { peakNodes: 200, mix: 'spread' },
];

const WITHOUT_SURPLUS: DecisionSettings = { ...DEFAULT_SETTINGS, surplusNodes: 'Ignore' };
const WITH_DELETION_COST: DecisionSettings = {
  ...DEFAULT_SETTINGS,
  surplusNodes: 'TaintAndPodDeletionCost',
};

const WATCHING_GROWTH: DecisionSettings = {
  ...DEFAULT_SETTINGS,
  growthWindowMs: 30 * MINUTE_MS,
  // With fewer moves while demand rises, others may cost more evictions.
  evictionCostUsd: 0.01,
};

const POLICIES = ['mortise', 'growth', 'deletion-cost', 'karpenter'] as const;
type Policy = (typeof POLICIES)[number];

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
 * [--policy NAME]` simulates weeks of a cluster: under our rules, with a growth window, with deletion costs
 * for pods of surplus nodes, and under Karpenter's rules.
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
  for (const { peakNodes, mix } of WEEKS) {
    if (values.nodes !== undefined && Number(values.nodes) !== peakNodes) continue;
    if (values.mix !== undefined && values.mix !== mix) continue;
    for (let seed = 1; seed <= Number(values.seeds); seed++) {
      for (const policy of POLICIES) {
        if (values.policy !== undefined && values.policy !== policy) continue;
        const week = { peakNodes, mix, seed, days: Number(values.days) };
        const figures = await runWeek({
          ...week,
          ...(policy === 'karpenter' && { decide: planLikeKarpenter, settings: WITHOUT_SURPLUS }),
          ...(policy === 'growth' && { settings: WATCHING_GROWTH }),
          ...(policy === 'deletion-cost' && { settings: WITH_DELETION_COST }),
        });
        results.push({ ...week, policy, figures });
        process.stderr.write(`${toLine({ ...week, policy, figures })}\n`);
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
    `${((figures.toRepacked - 1) * 100).toFixed(1)} % above a new packing,`,
    `${figures.evictionsPerPodDay.toFixed(3)} evictions per pod and day,`,
    `${figures.launches} launches, waits ${figures.waitMs.p50} and ${figures.waitMs.p99} ms,`,
    `nodes live ${(figures.nodeLifetimeMs.p50 / HOUR_MS).toFixed(1)} h,`,
    ...Object.entries(figures.distance).map(
      ([part, share]) => `${part} ${(share * 100).toFixed(1)} %,`,
    ),
    `peak ${figures.peakNodes}, ${JSON.stringify(figures.removals)}, ${(figures.tookMs / 1000).toFixed(0)} s`,
  ].join(' ');
