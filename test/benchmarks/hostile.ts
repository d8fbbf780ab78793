import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import * as z from 'zod';
import { listHostileInputs } from './inputs/hostile/hostile-inputs.ts';

const PROGRAM = fileURLToPath(new URL('./measure-hostile.ts', import.meta.url));
/** Longer than any planner may run. */
const TIMEOUT_MS = 120_000;

const measurementSchema = z.object({
  cpuMs: z.number(),
  ordinaryPlaced: z.number(),
  hostilePods: z.number(),
  hostilePlaced: z.number(),
  reasons: z.record(z.string(), z.number()),
});

/** The figures of one input; only the name if the plan took longer than two minutes. */
interface HostileResult extends Partial<z.infer<typeof measurementSchema>> {
  readonly name: string;
}

/**
 * `npm run --silent bench -- hostile [--json] [part of an input's name …]` measures the first plan
 * of a process for pods that make plans long, with 50 ordinary pods beside them.
 */
export async function benchHostile(args: readonly string[]): Promise<void> {
  const { positionals: parts, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const names = listHostileInputs()
    .map(({ name }) => name)
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
  const results: HostileResult[] = [];
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    results.push(await measureInput(name));
  }
  process.stdout.write(values.json ? `${JSON.stringify({ inputs: results })}\n` : `${formatTable(results)}\n`);
}

async function measureInput(name: string): Promise<HostileResult> {
  const child = fork(PROGRAM, [name], { timeout: TIMEOUT_MS });
  let answer: unknown;
  child.on('message', (message) => {
    answer = message;
  });
  await once(child, 'close');
  return answer === undefined ? { name } : { name, ...measurementSchema.parse(answer) };
}

function formatTable(results: readonly HostileResult[]): string {
  const table = new Table({
    head: ['input', 'cpu ms', 'ordinary placed', 'hostile placed', 'reasons'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'left'],
  });
  for (const { name, cpuMs, ordinaryPlaced, hostilePods, hostilePlaced, reasons } of results) {
    table.push([
      name,
      cpuMs?.toFixed(0) ?? `over ${TIMEOUT_MS}`,
      ordinaryPlaced ?? '',
      hostilePods === undefined ? '' : `${hostilePlaced} of ${hostilePods}`,
      Object.entries(reasons ?? {})
        .map(([code, pods]) => `${code} ${pods}`)
        .join(', '),
    ]);
  }
  return table.toString();
}
