import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { askProgram } from './ask-program.ts';
import { type RolloutFigures, rolloutChangeSchema, rolloutFiguresSchema } from './rollouts/rollout-figures.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./rollouts/measure-rollout.ts', import.meta.url));

/**
 * `npm run --silent bench -- rollouts [--json] [--change label|families] [--random N] [part of a name …]` changes
 * every NodePool of the demo and of the examples, or of N random clusters, and compares the cluster three hours
 * later with one that was not changed, or with a new plan for its pods under the changed NodePools.
 */
export async function benchRollouts(args: readonly string[]): Promise<void> {
  const { positionals: parts, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      change: { type: 'string', default: 'label' },
      random: { type: 'string', default: '0' },
    },
  });
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((one) => one.isDirectory());
  const change = rolloutChangeSchema.parse(values.change);
  const count = Number(values.random);
  const written = ['demo', ...folders.map(({ name }) => name)];
  const all = count > 0 ? Array.from({ length: count }, (_, index) => `random-${index + 1}`) : written;
  const names = all.filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
  const rollouts: RolloutFigures[] = [];
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    rollouts.push(rolloutFiguresSchema.parse((await askProgram(PROGRAM, [name, change])).answer));
  }
  process.stdout.write(values.json ? `${JSON.stringify({ rollouts })}\n` : `${formatTable(rollouts)}\n`);
}

function formatTable(rollouts: readonly RolloutFigures[]): string {
  const table = new Table({
    head: [
      ...['cluster', 'nodes before', 'expected', 'after', 'peak (allowed)', 'price'],
      ...['evictions', 'lived < 10 min', 'minutes', 'waits p99 (unchanged)'],
    ],
    style: { head: [], border: [] },
    colAligns: ['left', ...Array.from({ length: 9 }, () => 'right' as const)],
  });
  for (const one of rollouts) {
    table.push([
      ...[one.name, one.nodesBefore, one.nodesExpected, one.nodes, `${one.peakNodes} (${one.allowedPeak})`],
      `${((one.priceRatio - 1) * 100).toFixed(1)} %`,
      ...[one.evictionsPerPod.toFixed(2), one.shortLived],
      one.minutes === undefined ? 'not over' : one.minutes.toFixed(1),
      `${(one.waitMs / 1000).toFixed(0)} s (${(one.waitUnchangedMs / 1000).toFixed(0)} s)`,
    ]);
  }
  return table.toString();
}
