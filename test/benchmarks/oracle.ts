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
  /** Karpenter's fastest run, as elapsed time; the scheduler's setup is included. */
  readonly karpenterSeconds: number;
  /** The mean CPU time of Karpenter's runs. */
  readonly karpenterCpuSeconds: number;
  readonly karpenterRuns: number;
  readonly coldCpuMs: number;
  readonly warmMs: number;
  readonly warmCpuMs: number;
  /** The CPU time of Karpenter's runs divided by that of our median warm plan. */
  readonly timesFaster: number;
  /** Karpenter's fastest run divided by our median warm plan, both as elapsed time. */
  readonly timesFasterElapsed: number;
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
  process.stdout.write(asJson ? `${JSON.stringify({ comparisons })}\n` : `${formatTable(comparisons)}\n`);
}

async function compare(oracle: string, one: CaseDocument, catalog: unknown): Promise<Comparison> {
  const karpenter = await timeKarpenter(oracle, one, catalog);
  const { coldCpuMs, warmMs, warmCpuMs, hourlyUsd, nodes } = await measureInChild(one.name, false);
  const karpenterSeconds = karpenter.setupSeconds + karpenter.solveSeconds;
  return {
    pods: one.pods.length,
    karpenterSeconds: toFixed(karpenterSeconds, 3),
    karpenterCpuSeconds: toFixed(karpenter.cpuSeconds, 3),
    karpenterRuns: karpenter.runs,
    coldCpuMs: Math.round(coldCpuMs),
    warmMs: Math.round(warmMs),
    warmCpuMs: Math.round(warmCpuMs),
    timesFaster: toFixed((karpenter.cpuSeconds * 1_000) / warmCpuMs, 1),
    timesFasterElapsed: toFixed((karpenterSeconds * 1_000) / warmMs, 1),
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

type Timing = z.output<typeof timingSchema>;

/**
 * Runs Karpenter's scheduler up to ten times, for ten seconds at most after the first run.
 *
 * @returns its times; the CPU time is that of one run, without what the program needs to read the case and to
 *   create a cluster
 */
export async function timeKarpenter(
  oracle: string,
  one: CaseDocument,
  catalog: unknown,
): Promise<Timing & { readonly cpuSeconds: number }> {
  const empty = await runOracle(oracle, { ...one, pods: [] }, catalog);
  const { timing, cpuSeconds } = await runOracle(oracle, one, catalog);
  return { ...timing, cpuSeconds: cpuSeconds / timing.runs - empty.cpuSeconds / empty.timing.runs };
}

/** @returns what the oracle prints, and the CPU time of its process in all runs together */
async function runOracle(
  oracle: string,
  one: CaseDocument,
  catalog: unknown,
): Promise<{ readonly timing: Timing; readonly cpuSeconds: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-bench-'));
  try {
    await mkdir(join(folder, 'catalogs'));
    await writeFile(join(folder, 'catalogs', `${one.catalog}.json`), JSON.stringify(catalog));
    await writeFile(join(folder, `${one.name}.json`), JSON.stringify(one));
    const command = ['-c', '"$@" && times', 'sh', oracle, 'bench', folder];
    const { stdout } = await promisify(execFile)('sh', command);
    const { output, cpuSeconds } = splitTimes(stdout);
    const [timing] = z.tuple([timingSchema]).parse(JSON.parse(output));
    return { timing, cpuSeconds };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Separates the output of a program from what the shell's `times` writes after it: user and system time of the
 * shell in one line, those of the program in the next.
 */
export function splitTimes(stdout: string): {
  readonly output: string;
  readonly cpuSeconds: number;
} {
  const [, output = '', times = ''] = /^(.*)\n.*\n(.*)\n$/s.exec(stdout) ?? [];
  const cpuSeconds = [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (total, [, minutes, seconds]) => total + Number(minutes) * 60 + Number(seconds),
    0,
  );
  return { output, cpuSeconds };
}

function formatTable(comparisons: readonly Comparison[]): string {
  const table = new Table({
    head: [
      'pods',
      'Karpenter s',
      'cpu s',
      'runs',
      'cold cpu ms',
      'warm ms',
      'cpu ms',
      'times faster',
      'cpu',
      'price',
      'nodes',
      'load',
    ],
    style: { head: [], border: [] },
    colAligns: Array.from({ length: 12 }, () => 'right' as const),
  });
  for (const one of comparisons) {
    const { pods, karpenterSeconds, karpenterCpuSeconds, karpenterRuns } = one;
    const { coldCpuMs, warmMs, warmCpuMs, timesFasterElapsed, timesFaster } = one;
    const { priceRatio, nodeRatio, load } = one;
    table.push([
      ...[pods, karpenterSeconds.toFixed(3), karpenterCpuSeconds.toFixed(3), karpenterRuns],
      ...[coldCpuMs, warmMs, warmCpuMs, timesFasterElapsed.toFixed(1), timesFaster.toFixed(1)],
      ...[priceRatio.toFixed(3), nodeRatio.toFixed(2), load.toFixed(1)],
    ]);
  }
  return table.toString();
}

const toFixed = (value: number, digits: number): number => Number(value.toFixed(digits));
