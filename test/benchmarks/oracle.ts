import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Table from 'cli-table3';
import * as z from 'zod';
import { type CaseDocument, listKarpenterBenchmark } from './inputs/karpenter-benchmark.ts';
import { measureInChild } from './measure-in-child.ts';

/** Mortise and Karpenter on one case. */
interface Comparison {
  readonly pods: number;
  /** Karpenter's fastest run; the scheduler's setup is included. */
  readonly karpenterSeconds: number;
  readonly karpenterRuns: number;
  readonly coldCpuMs: number;
  readonly warmCpuMs: number;
  /** Karpenter's fastest run divided by the CPU time of our median warm plan. */
  readonly timesFaster: number;
  /** Prices and nodes of Mortise divided by those of Karpenter's cheapest run. */
  readonly priceRatio: number;
  readonly nodeRatio: number;
  /** The load of the machine when the case ended. */
  readonly load: number;
}

/**
 * Times Karpenter's own scheduler and Mortise on Karpenter's own benchmark, one after the other for each size, so
 * that both meet the same load.
 *
 * @param oracle - the program that runs Karpenter's scheduler on case files: `oracle bench DIR`
 * @param select - the names of the sizes to compare
 */
export async function benchBesideOracle(
  oracle: string,
  select: (names: readonly string[]) => readonly string[],
  asJson: boolean,
): Promise<void> {
  const { cases, catalogs } = listKarpenterBenchmark();
  const comparisons: Comparison[] = [];
  const names = select(cases.map(({ name }) => name));
  for (const one of cases.filter(({ name }) => names.includes(name))) {
    process.stderr.write(`${one.name}\n`);
    comparisons.push(await compare(oracle, one, catalogs(one.catalog)));
  }
  process.stdout.write(
    asJson ? `${JSON.stringify({ comparisons })}\n` : `${formatTable(comparisons)}\n`,
  );
}

async function compare(oracle: string, one: CaseDocument, catalog: unknown): Promise<Comparison> {
  const karpenter = await timeKarpenter(oracle, one, catalog);
  const { coldCpuMs, warmCpuMs, hourlyUsd, nodes } = await measureInChild(one.name, false);
  const karpenterSeconds = karpenter.setupSeconds + karpenter.solveSeconds;
  return {
    pods: one.pods.length,
    karpenterSeconds: toFixed(karpenterSeconds, 3),
    karpenterRuns: karpenter.runs,
    coldCpuMs: Math.round(coldCpuMs),
    warmCpuMs: Math.round(warmCpuMs),
    timesFaster: toFixed((karpenterSeconds * 1_000) / warmCpuMs, 1),
    priceRatio: toFixed(hourlyUsd / karpenter.totalPrice, 3),
    nodeRatio: toFixed(nodes / karpenter.nodes, 2),
    load: toFixed(loadavg()[0] ?? 0, 1),
  };
}

const timingSchema = z.object({
  nodes: z.number(),
  totalPrice: z.number(),
  runs: z.number(),
  setupSeconds: z.number(),
  solveSeconds: z.number(),
});

/** Runs Karpenter's scheduler up to ten times, for ten seconds at most after the first run. */
export async function timeKarpenter(oracle: string, one: CaseDocument, catalog: unknown) {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-bench-'));
  try {
    await mkdir(join(folder, 'catalogs'));
    await writeFile(join(folder, 'catalogs', `${one.catalog}.json`), JSON.stringify(catalog));
    await writeFile(join(folder, `${one.name}.json`), JSON.stringify(one));
    const { stdout } = await promisify(execFile)(oracle, ['bench', folder]);
    const [timing] = z.tuple([timingSchema]).parse(JSON.parse(stdout));
    return timing;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function formatTable(comparisons: readonly Comparison[]): string {
  const table = new Table({
    head: [
      'pods',
      'Karpenter s',
      'runs',
      'cold cpu ms',
      'warm cpu ms',
      'times faster',
      'price',
      'nodes',
      'load',
    ],
    style: { head: [], border: [] },
    colAligns: Array.from({ length: 9 }, () => 'right' as const),
  });
  for (const one of comparisons) {
    const { pods, karpenterSeconds, karpenterRuns, coldCpuMs, warmCpuMs } = one;
    const { timesFaster, priceRatio, nodeRatio, load } = one;
    table.push([
      ...[pods, karpenterSeconds.toFixed(3), karpenterRuns, coldCpuMs, warmCpuMs],
      ...[timesFaster.toFixed(1), priceRatio.toFixed(3), nodeRatio.toFixed(2), load.toFixed(1)],
    ]);
  }
  return table.toString();
}

const toFixed = (value: number, digits: number): number => Number(value.toFixed(digits));
