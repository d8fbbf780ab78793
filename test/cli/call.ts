import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { main } from '../../cli/main.ts';

export interface Call {
  /** Contents of files in the new working directory, by path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Working directory of the call, below the new directory. */
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The terminal size of stdout and stderr; undefined if they are no terminal. */
  readonly tty?: { readonly columns: number; readonly rows: number };
  readonly stop?: AbortSignal;
}

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates a folder that is removed when the test ends. */
export async function aFolder(files: Call['files'] = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Runs the command in this process, with streams of its own. */
export async function mortise(argv: readonly string[], call: Call = {}): Promise<CommandOutcome> {
  const folder = await aFolder(call.files);
  const written = { stdout: '', stderr: '' };
  const output = (stream: keyof typeof written) => ({
    write(text: string) {
      written[stream] += text;
    },
    ...(call.tty ? { isTTY: true, ...call.tty } : {}),
  });
  const code = await main(
    argv,
    {
      stdin: Readable.from(call.stdin === undefined ? [] : [Buffer.from(call.stdin)]),
      stdout: output('stdout'),
      stderr: output('stderr'),
      // A home of its own, so that the developer's settings have no effect.
      env: { HOME: folder, ...call.env },
      cwd: join(folder, call.cwd ?? ''),
    },
    call.stop ?? new AbortController().signal,
  );
  // The folder has another name in each run.
  return {
    code,
    stdout: written.stdout.replaceAll(folder, '~'),
    stderr: written.stderr.replaceAll(folder, '~'),
  };
}

const documentSchema = z.looseObject({ complete: z.boolean(), result: z.looseObject({}) });

/** Parses the document that `-o json` printed. */
export const documentOf = ({ stdout }: CommandOutcome) => documentSchema.parse(JSON.parse(stdout));
