import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { BUNDLING } from '../../../infra/bundling/bundling.ts';

export interface StubOptions {
  /** Sizes of the cluster. */
  readonly nodes: readonly number[];
  readonly podsPerNode: number;
  /** MiB of a function that reads the whole cluster. */
  readonly memory: number;
  readonly actions: readonly string[];
}

const statsSchema = z.record(z.string(), z.number());
const portSchema = z.object({ port: z.number() });
const figuresSchema = z.record(z.string(), z.number());

const HERE = import.meta.dirname;

async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, 'observe-cluster.mjs');
  await build({
    ...BUNDLING,
    entryPoints: [join(HERE, 'observe-cluster.ts')],
    outfile,
    logLevel: 'warning',
  });
  return outfile;
}

async function ask<T>(child: ChildProcess, schema: z.ZodType<T>, question?: string | number): Promise<T> {
  const answer: Promise<readonly unknown[]> = once(child, 'message');
  if (question !== undefined) child.send(question);
  const ended = once(child, 'exit').then(([code]: readonly unknown[]) => {
    throw new Error(`the process ended with ${String(code)}`);
  });
  const [message] = await Promise.race([answer, ended]);
  return schema.parse(message);
}

/** The time that passes before an action: a sweep stores a view each minute. */
const PAUSES_MS: Readonly<Record<string, number>> = {
  'from-view': 60_000,
  'from-old-view': 30_000,
};

/** Lambda leaves V8 nine tenths of a function's memory. */
const toHeapMib = (memoryMib: number): number => Math.floor(memoryMib * 0.9);

async function measure(
  nodes: number,
  { podsPerNode, memory, actions }: StubOptions,
  { bundled, folder }: { readonly bundled: string; readonly folder: string },
): Promise<object> {
  const stub = fork(join(HERE, 'api-stub.ts'), [`${nodes}`, `${podsPerNode}`]);
  const { port } = await ask(stub, portSchema);
  const results: Record<string, unknown> = {};
  try {
    for (const action of actions) {
      await ask(stub, statsSchema, PAUSES_MS[action] ?? 'stats');
      const child = fork(bundled, [action, `http://127.0.0.1:${port}`, join(folder, `${nodes}.json.gz`)], {
        execArgv: [`--max-old-space-size=${toHeapMib(memory)}`],
      });
      const figures = await ask(child, figuresSchema).catch((error: unknown) => ({
        failed: String(error),
      }));
      results[action] = { ...figures, ...(await ask(stub, statsSchema, 'stats')) };
    }
  } finally {
    stub.disconnect();
  }
  return { nodes, pods: nodes * podsPerNode, results };
}

/** Measures cold starts of the bundled functions against a stub of the API server, at several sizes. */
export async function measureStub(options: StubOptions): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'scale-'));
  try {
    await mkdir(folder, { recursive: true });
    const bundled = await bundle(folder);
    const sizes: object[] = [];
    for (const nodes of options.nodes) {
      sizes.push(await measure(nodes, options, { bundled, folder }));
    }
    return { memoryMib: options.memory, sizes };
  } finally {
    await rm(folder, { recursive: true });
  }
}
