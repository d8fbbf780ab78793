import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textAt, valueAt } from '../json.ts';

const PRELOAD = fileURLToPath(new URL('lambda-preload.ts', import.meta.url));

/** The `node` executable that runs the functions. */
export interface LambdaNode {
  /** Folder of the executable. */
  readonly folder: string;
  /** Value of `LAB_WORKERS` for another process that must be counted. */
  readonly workersFolder: string;
  readonly preload: string;
  /** Lists the processes that were started so far. */
  workers(): readonly Worker[];
  /**
   * Counts the requests of all processes so far, by name, such as `dynamodb.PutItem` or
   * `kubernetes.GET`.
   */
  requests(): RequestCounts;
}

export type RequestCounts = ReadonlyMap<string, number>;

/** One execution environment. */
export interface Worker {
  readonly functionName: string;
  /** Time from the start of the process until its handler was loaded. */
  readonly initMs: number;
  /** Peak memory; undefined if the process has ended or the operating system does not report it. */
  readonly peakMib?: number;
}

/**
 * Writes a `node` executable that tells functions apart. The local AWS gives all of them the same
 * credentials, and EKS must know the caller, so each process gets its function's name as session
 * token. Only the token webhook of the lab reads it.
 *
 * @param latency - `aws` delays each request of the functions by what the service takes in a region
 */
export function writeLambdaNode(folder: string, latency: 'aws' | 'none' = 'none'): LambdaNode {
  const bin = join(folder, 'bin');
  const workers = join(folder, 'workers');
  mkdirSync(bin, { recursive: true });
  mkdirSync(workers, { recursive: true });
  const script = [
    '#!/bin/sh',
    'export AWS_SESSION_TOKEN="$AWS_LAMBDA_FUNCTION_NAME"',
    `export LAB_WORKERS="${workers}"`,
    `export LAB_LATENCY="${latency}"`,
    // Lambda's runtime limits the heap by the function's memory, too; without it the heap of a busy
    // process grows as long as the machine has memory.
    'old=$((AWS_LAMBDA_FUNCTION_MEMORY_SIZE * 90 / 100))',
    'young=$((AWS_LAMBDA_FUNCTION_MEMORY_SIZE * 5 / 100))',
    `exec "${process.execPath}" "--max-old-space-size=$old" "--max-semi-space-size=$young" \\`,
    `  --import "${PRELOAD}" "$@"`,
  ];
  const path = join(bin, 'node');
  writeFileSync(path, `${script.join('\n')}\n`);
  chmodSync(path, 0o755);
  return {
    folder: bin,
    workersFolder: workers,
    preload: PRELOAD,
    workers: () => filesIn(workers, '.json').map(readWorker),
    requests() {
      const lines = filesIn(workers, '.requests').flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
      const counts = new Map<string, number>();
      for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
      return counts;
    },
  };
}

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

function readWorker(path: string): Worker {
  const worker: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const peakMib = peakOf(`/proc/${Number(valueAt(worker, 'pid'))}/status`);
  return {
    functionName: textAt(worker, 'name'),
    initMs: Number(valueAt(worker, 'initMs')),
    ...(peakMib !== undefined && { peakMib }),
  };
}

function peakOf(status: string): number | undefined {
  if (!existsSync(status)) return undefined;
  const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1];
  return kib === undefined ? undefined : Math.round(Number(kib) / 1024);
}
