import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listBenchmarkInputs } from './inputs/inputs.ts';
import { KARPENTER_BENCHMARK_SIZES, listKarpenterBenchmark } from './inputs/karpenter-benchmark.ts';
import { splitTimes, timeKarpenter } from './oracle.ts';

const PROGRAM = fileURLToPath(new URL('./run.ts', import.meta.url));

const run = (...args: readonly string[]) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });

const amount = z.number().positive();
const figures = z.object({
  inputs: z.array(
    z.strictObject({
      name: z.string(),
      pods: z.number(),
      placed: z.number(),
      nodes: z.number(),
      totalPrice: amount,
      lowerBound: amount,
      cost: amount,
      costLowerBound: amount,
      podsPerSecond: amount,
      coldPodsPerSecond: amount,
      warmMs: amount,
      // A plan for one pod may be shorter than the resolution of the clock.
      warmCpuMs: z.number().nonnegative(),
      coldMs: amount,
      coldCpuMs: z.number().nonnegative(),
      peakHeapMib: amount,
      objections: z.number(),
    }),
  ),
});

describe('npm run bench', () => {
  it('measures an input in separate processes', { timeout: 120_000 }, () => {
    const { status, stdout } = run('scheduling', '--json', '--check', 'diverse-1');

    const { inputs } = figures.parse(JSON.parse(stdout));
    expect(inputs).toMatchObject([{ name: 'diverse-1', pods: 1, placed: 1, nodes: 1, objections: 0 }]);
    expect(status).toBe(0);
  });

  it('counts the code that one pod needs, of which its plan is a part', () => {
    const path = z.object({
      count: amount,
      functions: amount,
      calls: amount,
      files: z.array(z.object({ file: z.string() })),
    });
    const { plan, launch } = z.object({ plan: path, launch: path }).parse(JSON.parse(run('one-pod', '--json').stdout));
    const launched = new Set(launch.files.map(({ file }) => file));

    expect(plan.count).toBe(plan.files.length);
    expect(plan.files.filter(({ file }) => !launched.has(file))).toEqual([]);
    expect(launched).toContain('shared/controllers/launch/launch-claims.ts');
  });

  it('exits with 2 if a week has a mix that does not exist', () => {
    const { status, stderr } = run('weeks', '--mix', 'chaotic');

    expect(status).toBe(2);
    expect(stderr).toMatch(/^Usage: .* weeks /);
  });

  it('exits with 2 if the arguments are invalid', () => {
    const { status, stderr } = run('speed');

    expect(status).toBe(2);
    expect(stderr).toMatch(/^Usage: /);
  });
});

describe("the time of Karpenter's scheduler", () => {
  it('is what the oracle prints for a folder with the case and its catalogue', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-oracle-'));
    const oracle = join(folder, 'oracle');
    const timing = { nodes: 4, totalPrice: 10, runs: 3, setupSeconds: 0.5, solveSeconds: 1.5 };
    const files = '"$2/bench-10.json" "$2/catalogs/fake-400.json"';
    const script = `[ "$1" = bench ] && cat ${files} > /dev/null && echo '${JSON.stringify([timing])}'`;
    await writeFile(oracle, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const { cases, catalogs } = listKarpenterBenchmark();
    const smallest = cases.filter(({ name }) => name === 'bench-10');
    const timings = await Promise.all(smallest.map((one) => timeKarpenter(oracle, one, catalogs(one.catalog))));
    await rm(folder, { recursive: true });

    expect(timings).toMatchObject([timing]);
  });

  it('includes the CPU time of the program, which the shell prints after its output', () => {
    const stdout = '[\n {}\n]\n0m0.010000s 0m0.000000s\n1m2.500000s 0m0.250000s\n';

    expect(splitTimes(stdout)).toEqual({ output: '[\n {}\n]', cpuSeconds: 62.75 });
  });
});

describe("Karpenter's own benchmark", () => {
  const { cases } = listKarpenterBenchmark();

  it('has a fifth of each kind of pods in every size', () => {
    const kinds = cases.map(({ pods }) => [
      ...Map.groupBy(pods, ({ metadata }) => metadata.name.replace(/-\d+$/, '')).values(),
    ]);

    expect(cases.map(({ name }) => name)).toEqual(KARPENTER_BENCHMARK_SIZES.map((size) => `bench-${size}`));
    expect(kinds.map((groups) => groups.map(({ length }) => length))).toEqual(
      KARPENTER_BENCHMARK_SIZES.map((size) => Array.from({ length: 5 }, () => size / 5)),
    );
  });
});

describe('the benchmark inputs', () => {
  it('are equal in every run', () => {
    const [first, second] = [listBenchmarkInputs(), listBenchmarkInputs()].map((inputs) =>
      inputs.find(({ name }) => name === 'diverse-50')?.snapshot(),
    );

    expect(first).toEqual(second);
    expect(first).not.toBe(second);
  });

  it('have unique names', () => {
    const names = listBenchmarkInputs().map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
