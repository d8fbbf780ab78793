import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { askProgram } from './ask-program.ts';

const PROGRAM = fileURLToPath(new URL('./measure-one-pod.ts', import.meta.url));

const answerSchema = z.object({
  files: z.array(z.object({ file: z.string(), functions: z.number(), calls: z.number() })),
});

/**
 * `npm run --silent bench -- one-pod [--json]` counts the files outside `test`, the functions and the calls that
 * one pending pod needs over the bundled catalogue: for its plan alone, and from the hint to the request for an
 * instance, with the records and the cluster in memory.
 */
export async function benchOnePod(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  const plan = await countFiles('plan');
  const launch = await countFiles('launch');
  process.stdout.write(
    values.json ? `${JSON.stringify({ plan, launch })}\n` : `${toText('plan', plan)}${toText('launch', launch)}`,
  );
}

async function countFiles(path: 'plan' | 'launch') {
  const { files } = answerSchema.parse((await askProgram(PROGRAM, [path])).answer);
  const sum = (field: 'functions' | 'calls'): number => files.reduce((total, file) => total + file[field], 0);
  return { count: files.length, functions: sum('functions'), calls: sum('calls'), files };
}

const toText = (path: string, { count, functions, calls, files }: Awaited<ReturnType<typeof countFiles>>): string =>
  [`${path}: ${count} files, ${functions} functions, ${calls} calls`, ...files.map(({ file }) => `  ${file}`), ''].join(
    '\n',
  );
