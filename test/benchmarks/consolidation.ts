import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { askProgram } from './ask-program.ts';

/** The figures of one cluster, fresh and in its steady state. */
const figuresSchema = z.object({
  name: z.string(),
  nodes: z.number(),
  pods: z.number(),
  fresh: z.object({
    ms: z.number(),
    decisions: z.number(),
    commands: z.number(),
    removedNodes: z.number(),
    evictions: z.number(),
    savingHourlyUsd: z.number(),
    hourlyUsd: z.number(),
  }),
  steady: z.object({ ms: z.number(), candidatesPerSecond: z.number() }),
  peakHeapMib: z.number(),
});
export type ConsolidationFigures = z.infer<typeof figuresSchema>;

const CLUSTERS = ['300-nodes-20-pools', '1000-nodes', '5000-nodes'];
const PROGRAM = fileURLToPath(new URL('./measure-consolidation.ts', import.meta.url));

/**
 * `npm run --silent bench -- consolidation [--json] [part of a cluster's name …]` measures a full
 * pass: decisions until nothing is left to decide, each applied at once.
 */
export async function benchConsolidation(args: readonly string[]): Promise<void> {
  const { positionals: parts, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const names = CLUSTERS.filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
  const clusters: ConsolidationFigures[] = [];
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    clusters.push(await measureInChild(name));
  }
  process.stdout.write(values.json ? `${JSON.stringify({ clusters })}\n` : `${JSON.stringify(clusters, null, 2)}\n`);
}

const measureInChild = async (name: string): Promise<ConsolidationFigures> =>
  figuresSchema.parse((await askProgram(PROGRAM, [name])).answer);
