import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { listBenchmarkInputs } from './inputs/inputs.ts';
import { type BenchmarkResult, measureInChild } from './measure-in-child.ts';
import { benchBesideOracle } from './oracle.ts';

/**
 * `npm run --silent bench -- scheduling [--json] [--check] [part of an input's name …]` measures
 * how long plans take, what they cost and how much memory they need. Only time and memory differ
 * between runs. With `--oracle PATH`, Karpenter's own benchmark is timed beside Karpenter's scheduler instead.
 */
export async function benchScheduling(args: readonly string[]): Promise<void> {
  const { positionals: parts, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      oracle: { type: 'string' },
    },
  });
  const select = (all: readonly string[]): readonly string[] =>
    all.filter((name) => parts.length === 0 || parts.some(isSelected(name, all)));
  if (values.oracle !== undefined) {
    await benchBesideOracle(values.oracle, select, values.json);
    return;
  }
  const names = select(listBenchmarkInputs().map(({ name }) => name));

  const results: BenchmarkResult[] = [];
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    results.push(await measureInChild(name, values.check));
  }
  process.stdout.write(
    values.json ? `${JSON.stringify({ inputs: results.map(toFigures) })}\n` : `${formatTable(results)}\n`,
  );
}

/** A complete name selects only that input. */
const isSelected =
  (name: string, all: readonly string[]) =>
  (part: string): boolean =>
    all.includes(part) ? name === part : name.includes(part);

/** The values that scripts compare. */
function toFigures(result: BenchmarkResult): object {
  const { name, pods, placed, nodes, hourlyUsd, lowerBoundUsd } = result;
  const { coldMs, coldCpuMs, warmMs, warmCpuMs } = result;
  const { costUsd, costBoundUsd, peakHeapMib, reference, objections } = result;
  return {
    name,
    pods,
    placed,
    nodes,
    totalPrice: rounded(hourlyUsd, 6),
    lowerBound: rounded(lowerBoundUsd, 6),
    cost: rounded(costUsd, 6),
    costLowerBound: rounded(costBoundUsd, 6),
    podsPerSecond: rate(pods, warmMs),
    coldPodsPerSecond: rate(pods, coldMs),
    warmMs: rounded(warmMs, 2),
    warmCpuMs: rounded(warmCpuMs, 2),
    coldMs: rounded(coldMs, 1),
    coldCpuMs: rounded(coldCpuMs, 1),
    peakHeapMib: rounded(peakHeapMib, 1),
    ...(reference && { reference: { totalPrice: reference.hourlyUsd, nodes: reference.nodes } }),
    ...(objections !== undefined && { objections }),
  };
}

function formatTable(results: readonly BenchmarkResult[]): string {
  const checked = results.some(({ objections }) => objections !== undefined);
  const table = new Table({
    head: [
      'input',
      'cold ms',
      'cold cpu ms',
      'warm ms',
      'warm cpu ms',
      'pods/s',
      'placed',
      'nodes',
      '$/h',
      'to reference',
      'to bound',
      'heap MiB',
      ...(checked ? ['objections'] : []),
    ],
    style: { head: [], border: [] },
    colAligns: ['left', ...Array.from({ length: 12 }, () => 'right' as const)],
  });
  for (const result of results) {
    const { name, pods, placed, nodes, hourlyUsd, lowerBoundUsd } = result;
    const { coldMs, coldCpuMs, warmMs, warmCpuMs } = result;
    const { peakHeapMib, reference, objections } = result;
    table.push([
      name,
      coldMs.toFixed(0),
      coldCpuMs.toFixed(0),
      formatShort(warmMs),
      formatShort(warmCpuMs),
      rate(pods, warmMs),
      placed === pods ? placed : `${placed} of ${pods}`,
      reference ? `${nodes} (${reference.nodes})` : nodes,
      hourlyUsd.toFixed(2),
      reference ? percent(hourlyUsd, reference.hourlyUsd) : '',
      percent(hourlyUsd, lowerBoundUsd),
      peakHeapMib.toFixed(0),
      ...(objections === undefined ? [] : [objections]),
    ]);
  }
  return table.toString();
}

/** Plans of single pods take less than a millisecond. */
const formatShort = (ms: number): string => ms.toFixed(ms < 10 ? 1 : 0);

const rate = (pods: number, ms: number): number => Math.round((pods / ms) * 1000);

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const percent = (usd: number, other: number): string => `${((usd / other) * 100).toFixed(1)} %`;
