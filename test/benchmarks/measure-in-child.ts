import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Measurement } from './measurement.ts';

/** The measurements of one input, in child processes without other work. */
export interface BenchmarkResult extends Measurement {
  /** The largest heap during the first plan in MiB, including the snapshot and the code. */
  readonly peakHeapMib: number;
}

const PROGRAM = fileURLToPath(new URL('./measure-one.ts', import.meta.url));
const MIB = 2 ** 20;

export async function measureInChild(name: string, checks: boolean): Promise<BenchmarkResult> {
  const { answer: measured } = await run([name, 'time', ...(checks ? ['--check'] : [])], []);
  const { answer: heap, output } = await run([name, 'heap'], ['--trace-gc']);
  const { heapUsed } = z.object({ heapUsed: z.number() }).parse(heap);
  return {
    ...measurementSchema.parse(measured),
    peakHeapMib: Math.max(heapUsed / MIB, ...listHeapSizes(output)),
  };
}

/**
 * Parses `… ms: Scavenge 32.1 (40.0) -> 20.5 (41.0) MB, …`: the heap is largest before a
 * collection.
 */
const listHeapSizes = (trace: string): number[] =>
  [...trace.matchAll(/: [A-Z][\w ()-]*? ([\d.]+) \([\d.]+\) -> /g)].map(([, size]) => Number(size));

/**
 * @throws Error - if the program ends without a result
 */
async function run(
  args: readonly string[],
  flags: readonly string[],
): Promise<{ answer: unknown; output: string }> {
  const child = fork(PROGRAM, args, {
    execArgv: [...flags],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  let answer: unknown;
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  child.on('message', (message) => {
    answer = message;
  });
  await once(child, 'close');
  if (answer === undefined) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
  return { answer, output };
}

const measurementSchema: z.ZodType<Measurement> = z.object({
  name: z.string(),
  pods: z.number(),
  placed: z.number(),
  nodes: z.number(),
  hourlyUsd: z.number(),
  lowerBoundUsd: z.number(),
  costUsd: z.number(),
  costBoundUsd: z.number(),
  coldMs: z.number(),
  coldCpuMs: z.number(),
  warmMs: z.number(),
  warmCpuMs: z.number(),
  reference: z.object({ hourlyUsd: z.number(), nodes: z.number() }).exactOptional(),
  objections: z.number().exactOptional(),
});
