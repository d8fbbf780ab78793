import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { AwsFlags } from '../cluster/aws-flags.ts';
import type { Io } from '../terminal/io.ts';
import type { CdkProgram } from './find-cdk.ts';

export interface CdkCall extends AwsFlags {
  readonly verb: 'deploy' | 'diff' | 'destroy';
  readonly stack: string;
  /** Options of the stack, by name. */
  readonly options: Readonly<Record<string, string>>;
}

export interface CdkOutcome {
  readonly exitCode: number;
  /** Everything that the CDK printed. */
  readonly printed: string;
  /** Values of the stack's outputs, by name; only of `deploy`. */
  readonly outputs: Readonly<Record<string, string>>;
}

interface CdkContext {
  readonly io: Pick<Io, 'env'>;
  readonly stop: AbortSignal;
  /** Receives what the CDK prints, as it is printed. */
  readonly onText?: (text: string) => void;
}

/**
 * Runs the CDK in a folder of its own, so that neither a `cdk.json` nor the context of another app
 * has an effect, and no file remains.
 */
export async function runCdk(
  { cli, app }: CdkProgram,
  call: CdkCall,
  { io, stop, onText }: CdkContext,
): Promise<CdkOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-cdk-'));
  const outputs = join(folder, 'outputs.json');
  try {
    await writeFile(join(folder, 'cdk.json'), configurationOf(app, call));
    const child = spawn(process.execPath, [cli, ...argumentsOf(call, outputs)], {
      cwd: folder,
      env: environmentOf(io.env, call),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The CDK ends what CloudFormation lets it end.
    const interrupt = (): void => void child.kill('SIGINT');
    stop.addEventListener('abort', interrupt, { once: true });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        onText?.(text);
      });
    }
    const exitCode = await waitForExit(child).finally(() => stop.removeEventListener('abort', interrupt));
    return { exitCode, printed, outputs: await readOutputs(outputs, call.stack) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The exit code, 1 after a signal. */
export const waitForExit = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });

/**
 * The CDK gives the app to a shell, so paths need quotes, which the command line of the CDK would
 * remove.
 */
const configurationOf = (app: string, { options }: CdkCall): string =>
  JSON.stringify({
    app: [process.execPath, app].map((path) => JSON.stringify(path)).join(' '),
    output: 'cdk.out',
    context: options,
    notices: false,
    versionReporting: false,
  });

function argumentsOf({ verb, stack, profile }: CdkCall, outputs: string): readonly string[] {
  const ofVerb = {
    deploy: ['--require-approval', 'never', '--outputs-file', outputs],
    diff: [],
    destroy: ['--force'],
  };
  const ofProfile = profile === undefined ? [] : ['--profile', profile];
  return [verb, stack, '--no-color', ...ofProfile, ...ofVerb[verb]];
}

const environmentOf = (env: Io['env'], { region }: CdkCall): Record<string, string | undefined> => ({
  ...env,
  ...(region !== undefined && { AWS_REGION: region, AWS_DEFAULT_REGION: region }),
  CDK_DISABLE_CLI_TELEMETRY: 'true',
});

const outputsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** The CDK writes the file only after a deployment. */
async function readOutputs(file: string, stack: string): Promise<CdkOutcome['outputs']> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return outputsSchema.parse(JSON.parse(text))[stack] ?? {};
}
