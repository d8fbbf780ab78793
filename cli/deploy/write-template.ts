import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { zip } from 'fflate';
import * as z from 'zod';
import { stackName } from '../../infra/stack-name.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import type { TemplateReport } from '../documents/template.ts';
import { fail, whyUnreadable } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { TEMPLATE_APP } from './cdk-app.ts';
import { findMissingLibraries } from './find-cdk.ts';
import { waitForExit } from './run-cdk.ts';

export interface TemplateRequest {
  readonly cluster: string;
  /** Options of the stack, by name. */
  readonly options: Readonly<Record<string, string>>;
  /** The folder to write to. */
  readonly out: string;
}

/** An archive that an earlier call wrote; other files of the folder are left alone. */
const ARCHIVE = /^[0-9a-f]{64}\.zip$/;

/**
 * Writes the stack of a cluster as `template.json`, and the code of its functions as archives in the
 * folder `code`. It calls nothing in AWS. Equal options give equal files.
 *
 * @throws CliError - `cdk-missing`; `cdk-failed`: an option is wrong; `file-unreadable`: no such folder can be written
 */
export async function writeTemplate(
  { cluster, options, out }: TemplateRequest,
  { io, stop, progress }: Invocation,
): Promise<Answer> {
  const problem = findMissingLibraries(TEMPLATE_APP);
  if (problem) throw fail(problem);
  const stack = stackName(cluster);
  progress.report(`bundling the functions and synthesizing ${stack}`);
  const assembly = await mkdtemp(join(tmpdir(), 'mortise-template-'));
  try {
    const { exitCode, printed } = await synthesise({ ...options, cluster }, { assembly, env: io.env, stop });
    if (exitCode !== 0) throw synthesisFailed(stack, printed);
    const { template, archives } = await readAssembly(assembly, stack);
    progress.report('packing the code');
    const packed = archives.map(async ([name, folder]) => [name, await zipFolder(join(assembly, folder))] as const);
    await writeFiles(resolve(io.cwd, out), template, await Promise.all(packed));
    return answerOf({ cluster, stack, folder: out, code: archives.map(([name]) => name) });
  } finally {
    await rm(assembly, { recursive: true, force: true });
  }
}

/** @throws CliError - `file-unreadable` */
async function writeFiles(
  out: string,
  template: string,
  archives: readonly (readonly [string, Uint8Array])[],
): Promise<void> {
  const code = join(out, 'code');
  try {
    await mkdir(code, { recursive: true });
    const stale = (await readdir(code)).filter((name) => ARCHIVE.test(name));
    await Promise.all(stale.map((name) => rm(join(code, name))));
    await Promise.all(archives.map(([name, bytes]) => writeFile(join(code, name), bytes)));
    await writeFile(join(out, 'template.json'), template);
  } catch (cause) {
    throw fail(
      {
        code: 'file-unreadable',
        what: `cannot write to ${out}`,
        where: '--out',
        why: whyUnreadable(cause),
        fix: 'name a folder that can be written to',
      },
      { cause },
    );
  }
}

interface SynthesisContext {
  readonly assembly: string;
  readonly env: Invocation['io']['env'];
  readonly stop: AbortSignal;
}

/** The app reads these variables; the command line of the CDK sets them too. */
async function synthesise(
  context: Readonly<Record<string, string>>,
  { assembly, env, stop }: SynthesisContext,
): Promise<{ readonly exitCode: number; readonly printed: string }> {
  // Account and region of the caller would become part of the template.
  const { CDK_DEFAULT_ACCOUNT: _, CDK_DEFAULT_REGION: __, ...others } = env;
  const child = spawn(process.execPath, [TEMPLATE_APP], {
    env: { ...others, CDK_OUTDIR: assembly, CDK_CONTEXT_JSON: JSON.stringify(context) },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: stop,
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const exitCode = await waitForExit(child);
  return { exitCode, printed };
}

const synthesisFailed = (stack: string, printed: string) =>
  fail({
    code: 'cdk-failed',
    what: printed.trim() || 'the stack could not be built',
    where: `stack ${stack}`,
    fix: 'correct the options given with --set',
  });

const assetsSchema = z.object({
  files: z.record(z.string(), z.object({ source: z.object({ path: z.string(), packaging: z.enum(['zip', 'file']) }) })),
});

/** The template itself is an asset as well: the only file that is not packed. */
async function readAssembly(assembly: string, stack: string) {
  const read = async (name: string) => await readFile(join(assembly, name), 'utf8');
  const { files } = assetsSchema.parse(JSON.parse(await read(`${stack}.assets.json`)));
  const archives = Object.entries(files).flatMap(([hash, { source }]) =>
    source.packaging === 'zip' ? [[`${hash}.zip`, source.path] as const] : [],
  );
  return { template: await read(`${stack}.template.json`), archives };
}

const answerOf = (report: TemplateReport): Answer =>
  wholeAnswer({
    kind: 'Template',
    source: { cluster: report.cluster },
    result: report,
    names: [`stack/${report.stack}`],
    text: () => textOf(report),
  });

const textOf = ({ stack, folder, code }: TemplateReport): string =>
  [
    `wrote ${join(folder, 'template.json')} and ${code.length} archives in ${join(folder, 'code')}`,
    'next: upload the archives to a bucket in the region of the cluster, and deploy the stack',
    `  aws s3 sync ${join(folder, 'code')} s3://BUCKET/mortise/`,
    `  aws cloudformation deploy --stack-name ${stack} --template-file ${join(folder, 'template.json')} \\`,
    '    --s3-bucket BUCKET --s3-prefix mortise --capabilities CAPABILITY_NAMED_IAM \\',
    '    --parameter-overrides CodeBucket=BUCKET CodePrefix=mortise/',
    'or give the folder to the Terraform module',
    '',
  ].join('\n');

/** The earliest time that the format knows. Equal folders give equal archives. */
const MODIFIED = new Date(1980, 0, 1);
/** Readable by the user that Lambda runs code as. */
const MODE = 0o644;

/** Packs the files of a folder. @param folder - with its subfolders */
export async function zipFolder(folder: string): Promise<Uint8Array> {
  const listed = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = listed
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const entries = files.map(async (file) => {
    const name = relative(folder, file).split(sep).join('/');
    return [name, await readFile(file)] as const;
  });
  const contents = Object.fromEntries(await Promise.all(entries));
  return await new Promise((resolve, reject) => {
    const options = { mtime: MODIFIED, os: UNIX, attrs: MODE * FILE_MODE_UNIT, level: 9 } as const;
    zip(contents, options, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}

/** The number of Unix in the format, whose file modes are in the upper half of the attributes. */
const UNIX = 3;
const FILE_MODE_UNIT = 0x1_00_00;
