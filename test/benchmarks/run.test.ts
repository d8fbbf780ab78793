import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listBenchmarkInputs } from './inputs/inputs.ts';

const PROGRAM = fileURLToPath(new URL('./run.ts', import.meta.url));

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });

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
    expect(inputs).toMatchObject([
      { name: 'diverse-1', pods: 1, placed: 1, nodes: 1, objections: 0 },
    ]);
    expect(status).toBe(0);
  });

  it('exits with 2 if the arguments are invalid', () => {
    const { status, stderr } = run('speed');

    expect(status).toBe(2);
    expect(stderr).toMatch(/^Usage: /);
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
