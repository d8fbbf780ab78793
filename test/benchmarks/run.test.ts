import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { benchmarkInputs } from './inputs/inputs.ts';

const PROGRAM = fileURLToPath(new URL('./run.ts', import.meta.url));

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });

describe('npm run bench', () => {
  it('measures an input in processes of its own', { timeout: 120_000 }, () => {
    const { status, stdout } = run('scheduling', '--json', '--check', 'diverse-1');

    expect(JSON.parse(stdout)).toEqual({
      inputs: [
        {
          name: 'diverse-1',
          pods: 1,
          placed: 1,
          nodes: 1,
          totalPrice: expect.any(Number),
          lowerBound: expect.any(Number),
          podsPerSecond: expect.any(Number),
          coldPodsPerSecond: expect.any(Number),
          warmMs: expect.any(Number),
          warmCpuMs: expect.any(Number),
          coldMs: expect.any(Number),
          peakHeapMib: expect.any(Number),
          objections: 0,
        },
      ],
    });
    expect(status).toBe(0);
  });

  it('ends with 2 when it is not called as it should be', () => {
    expect(run('speed')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Usage: /) });
  });
});

describe('the inputs', () => {
  it('are the same in every run', () => {
    const [first, second] = [benchmarkInputs(), benchmarkInputs()].map((inputs) =>
      inputs.find(({ name }) => name === 'diverse-50')?.snapshot(),
    );

    expect(first).toEqual(second);
    expect(first).not.toBe(second);
  });

  it('have names of their own', () => {
    const names = benchmarkInputs().map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
