import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { askProgram } from './ask-program.ts';
import type { Measurement } from './measurement.ts';

/** The measurements of one input, in child processes without other work. */
export interface BenchmarkResult extends Measurement {
  /** The largest heap during the first plan in MiB, including the snapshot and the code. */
  readonly peakHeapMib: number;
}

const PROGRAM = fileURLToPath(new URL('./measure-one.ts', import.meta.url));
const MIB = 2 ** 20;

export async function measureInChild(name: string, checks: boolean): Promise<BenchmarkResult> {
  const { answer: measured } = await askProgram(PROGRAM, [name, 'time', ...(checks ? ['--check'] : [])]);
  const { answer: heap, output } = await askProgram(PROGRAM, [name, 'heap'], ['--trace-gc']);
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
