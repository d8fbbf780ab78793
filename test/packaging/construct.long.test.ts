import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { buildPackage } from '../../packaging/build-package.ts';
import { codeBlocksIn } from '../docs/code-blocks.ts';

const run = promisify(execFile);
const MODULES = join(import.meta.dirname, '../../node_modules');

/** As a user writes it, with two clusters in one app. */
const APP = `
import { App, Stack } from 'aws-cdk-lib';
import { Mortise } from '${packageJson.name}/cdk';

const app = new App();
const stack = new Stack(app, 'Platform');
const shop = new Mortise(stack, 'Shop', { cluster: 'shop', settings: { maxNodes: 200 } });
new Mortise(stack, 'Games', { cluster: 'games', snapshotRetentionDays: 7 });
const seconds: number | undefined = shop.metricNodes().period.toSeconds();
if (seconds === undefined) throw new Error('there is no period');
app.synth();
`;

const GUIDE = join(import.meta.dirname, '../../docs/guides/getting-started.md');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise app '));
  const { tarball } = await buildPackage(join(folder, 'dist'));
  const app = join(folder, 'app');
  await mkdir(join(app, 'node_modules', packageJson.name), { recursive: true });
  await writeFile(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  await writeFile(join(app, 'app.ts'), APP);
  const guide = codeBlocksIn(await readFile(GUIDE, 'utf8'));
  await writeFile(join(app, 'guide.ts'), guide.find(({ language }) => language === 'ts')?.text ?? '');
  await run('tar', [
    ...['-xzf', tarball, '--strip-components', '1'],
    ...['-C', join(app, 'node_modules', packageJson.name)],
  ]);
  // The peer dependencies, and those that only the compiler needs.
  await mkdir(join(app, 'node_modules/@types'));
  for (const name of ['aws-cdk-lib', 'constructs', '@types/node', 'undici-types']) {
    await symlink(join(MODULES, name), join(app, 'node_modules', name));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('An app with strict settings compiles against the types of the package.', async () => {
  const app = join(folder, 'app');
  const options = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true };
  const compilerOptions = { ...options, types: ['node'], skipLibCheck: false };
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts', 'guide.ts'] }));
  const compiled = run(join(MODULES, '.bin/tsc'), ['-p', app], { cwd: app });
  await expect(
    compiled.catch((error: { readonly stdout?: string }) => Promise.reject(new Error(error.stdout))),
  ).resolves.toEqual({
    stdout: '',
    stderr: '',
  });
});

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Metadata: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

test('An app with two clusters is synthesised without a bundler, from any folder.', async () => {
  const out = join(folder, 'out');
  await run('node', [join(folder, 'app/app.ts')], {
    cwd: tmpdir(),
    env: { ...process.env, CDK_OUTDIR: out },
  });
  const text = await readFile(join(out, 'Platform.template.json'), 'utf8');
  const { Resources } = templateSchema.parse(JSON.parse(text));
  const tables = Object.values(Resources).filter(({ Type }) => Type.startsWith('AWS::DynamoDB'));
  expect(tables).toHaveLength(2);

  const assets = (await readdir(out)).filter((name) => name.startsWith('asset.'));
  const codes = await Promise.all(
    assets.map((asset) => readFile(join(out, asset, 'index.mjs'), 'utf8').catch(() => '')),
  );
  const functions = await readdir(join(import.meta.dirname, '../../functions'));
  expect(codes.filter((code) => code.includes('export{'))).toHaveLength(functions.length - 1);
});

test('The app of the first guide is synthesised with its cluster.', async () => {
  const out = join(folder, 'guide');
  await run('node', [join(folder, 'app/guide.ts')], { env: { ...process.env, CDK_OUTDIR: out } });

  const { Resources } = templateSchema.parse(JSON.parse(await readFile(join(out, 'Platform.template.json'), 'utf8')));
  const types = Object.values(Resources).map(({ Type }) => Type);
  expect(types).toEqual(expect.arrayContaining(['AWS::EKS::Cluster', 'AWS::Lambda::Function']));
});
