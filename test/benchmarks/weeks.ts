import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { forEachWithLimit } from '../../shared/model/concurrency.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { askProgram } from './ask-program.ts';
import { WEEK_MIXES } from './weeks/week-cluster.ts';
import {
  POLICY_NAMES,
  type Week,
  type WeekFigures,
  type WeekResult,
  weekFiguresSchema,
  weekSchema,
} from './weeks/week-result.ts';

const USAGE =
  'Usage: npm run --silent bench -- weeks [--json] [--days N] [--seeds N] [--nodes N] [--mix NAME] [--policy NAME] [--jobs N]\n';

/** Approximate numbers of nodes at the peak. */
const PEAK_NODES = [50, 200] as const;
const PROGRAM = fileURLToPath(new URL('./weeks/measure-week.ts', import.meta.url));

/**
 * `npm run --silent bench -- weeks [--json] [--days N] [--seeds N] [--nodes N] [--mix NAME]
 * [--policy NAME] [--jobs N]` simulates weeks of a cluster: under our rules, with deletion costs of pods, and under
 * Karpenter's rules. Each week has a process; as many run at a time as the machine has processors. Small clusters
 * (`--nodes 10`) suit comparisons.
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
      jobs: { type: 'string', default: `${availableParallelism()}` },
    },
  });
  const sizes = values.nodes === undefined ? PEAK_NODES : [Number(values.nodes)];
  const mixes = values.mix === undefined ? WEEK_MIXES : [values.mix];
  const policies = values.policy === undefined ? POLICY_NAMES : [values.policy];
  const seedCount = Number(values.seeds);
  const seeds = Array.from({ length: seedCount || 0 }, (_, index) => index + 1);
  const jobs = Number(values.jobs);
  const weeks = weekSchema
    .array()
    .safeParse(
      sizes.flatMap((peakNodes) =>
        mixes.flatMap((mix) =>
          seeds.flatMap((seed) =>
            policies.map((policy) => ({ peakNodes, mix, seed, days: Number(values.days), policy })),
          ),
        ),
      ),
    );
  if (!weeks.success || !(jobs >= 1) || !Number.isInteger(seedCount) || seedCount < 1) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }

  const figures = new Map<Week, WeekFigures>();
  await forEachWithLimit(weeks.data, jobs, async (week) => {
    const measured = await measureInChild(week);
    figures.set(week, measured);
    process.stderr.write(`${toLine({ ...week, figures: measured })}\n`);
  });
  const results = weeks.data.flatMap((week): WeekResult[] => {
    const measured = figures.get(week);
    return measured ? [{ ...week, figures: measured }] : [];
  });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ weeks: results })}\n`
      : `${[...results.map(toLine), ...listMeans(results)].join('\n')}\n`,
  );
}

const measureInChild = async (week: Week): Promise<WeekFigures> =>
  weekFiguresSchema.parse((await askProgram(PROGRAM, [JSON.stringify(week)])).answer);

/** The means of each size, mix and policy, if there are several seeds. */
function listMeans(results: readonly WeekResult[]): string[] {
  const groups = Map.groupBy(results, ({ mix, peakNodes, policy }) => `${mix} ${peakNodes} nodes, ${policy}`);
  return [...groups].flatMap(([name, group]) => {
    if (group.length === 1) return [];
    const mean = (of: (figures: WeekFigures) => number): number =>
      group.reduce((sum, { figures }) => sum + of(figures), 0) / group.length;
    const distances = formatDistances({
      toBound: mean(({ toBound }) => toBound),
      toRepacked: mean(({ toRepacked }) => toRepacked),
      evictionsPerPodDay: mean(({ evictionsPerPodDay }) => evictionsPerPodDay),
    });
    return [`mean of ${group.length} seeds, ${name}: ${distances}`];
  });
}

const formatDistances = ({
  toBound,
  toRepacked,
  evictionsPerPodDay,
}: Pick<WeekFigures, 'toBound' | 'toRepacked' | 'evictionsPerPodDay'>): string =>
  [
    `${((toBound - 1) * 100).toFixed(1)} % above the bound,`,
    `${((toRepacked - 1) * 100).toFixed(1)} % above hourly re-packing,`,
    `${evictionsPerPodDay.toFixed(3)} evictions per pod and day`,
  ].join(' ');

const toLine = ({ peakNodes, mix, seed, policy, figures }: WeekResult): string =>
  [
    `${mix} ${peakNodes} nodes, seed ${seed}, ${policy}:`,
    `$${figures.costUsd.toFixed(2)}, ${formatDistances(figures)},`,
    `${figures.nodeWritesPerNodeDay.toFixed(1)} writes per node and day, ${figures.launches} launches, waits ${figures.waitMs.p50} and ${figures.waitMs.p99} ms,`,
    `nodes live ${(figures.nodeLifetimeMs.p50 / HOUR_MS).toFixed(1)} h,`,
    ...Object.entries(figures.distance).map(([part, share]) => `${part} ${(share * 100).toFixed(1)} %,`),
    `peak ${figures.peakNodes}, ${JSON.stringify(figures.removals)}, ${(figures.tookMs / 1000).toFixed(0)} s`,
  ].join(' ');
