import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { type BuiltPackage, buildPackage } from '../../packaging/build-package.ts';

const run = promisify(execFile);
const MEBIBYTE = 1024 ** 2;

let folder: string;
let built: BuiltPackage;
let command: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise package '));
  built = await buildPackage(join(folder, 'dist'));
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', built.tarball];
  await run('npm', install, { cwd: folder });
  command = join(folder, 'node_modules/.bin/mortise');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const mortise = (...args: string[]) => run(command, args, { cwd: folder });

test('The tarball has at most 5 MB, and installed it has at most 60 MB.', () => {
  expect(built.packedBytes).toBeLessThan(5 * MEBIBYTE);
  expect(built.unpackedBytes).toBeLessThan(60 * MEBIBYTE);
});

test('The version names the commit that the package was built from.', async () => {
  const { stdout } = await mortise('version', '-o', 'json');
  const { result } = z
    .object({ result: z.object({ client: z.string(), commit: z.string(), date: z.iso.date() }) })
    .parse(JSON.parse(stdout));
  expect((await run('git', ['rev-parse', 'HEAD'])).stdout).toMatch(new RegExp(`^${result.commit}`));
});

test('The help of every command is printed.', async () => {
  const { stdout } = await mortise('--help');
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name ?? '');
  expect(names).toContain('simulate');
  for (const name of names) expect((await mortise(name, '--help')).stdout).toContain(name);
});

test('Manifests are validated and simulated in a folder that contains nothing else.', async () => {
  const example = join(import.meta.dirname, '../../examples/spot-batch');
  expect((await mortise('validate', '-f', example)).stdout).toContain('0 refused');
  const simulated = await mortise('simulate', '-f', example, '--for', '1h');
  const fromClone = await run('node', [
    join(import.meta.dirname, '../../cli/mortise.ts'),
    ...['simulate', '-f', example, '--for', '1h', '-o', 'json'],
  ]);
  expect(simulated.stdout).toContain('0 unplaced');
  const packaged = await mortise('simulate', '-f', example, '--for', '1h', '-o', 'json');
  expect(packaged.stdout).toBe(fromClone.stdout);
});

test('The playground serves its demo and the built page.', async () => {
  const playground = spawn(command, ['start', '--port', '0'], { cwd: folder });
  try {
    const [text] = z.tuple([z.instanceof(Buffer)]).parse(await once(playground.stdout, 'data'));
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text.toString())?.[0];
    expect(url).toBeDefined();
    const page = await fetch(`${url}/page.js`);
    expect(await page.text()).toBe(await readFile(join(folder, 'dist/package/console/page.js'), 'utf8'));
  } finally {
    playground.kill();
  }
});

test('The notice names every library that the bundles contain.', async () => {
  const notice = await readFile(join(folder, 'node_modules', packageJson.name, 'NOTICE'), 'utf8');
  for (const name of ['react', 'zod', '@kubernetes/client-node', '@fontsource-variable/inter']) {
    expect(notice).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
  }
});

/** The files of the command that `file` loads at once, with their text. */
async function readStaticImports(file: string, read = new Map<string, string>()) {
  if (read.has(file)) return read;
  const text = await readFile(file, 'utf8');
  read.set(file, text);
  for (const [, path = ''] of text.matchAll(/(?:from|import)"(\.[^"]+\.js)"/g)) {
    await readStaticImports(join(dirname(file), path), read);
  }
  return read;
}

test('Only a kubeconfig loads @kubernetes/client-node, which the package contains.', async () => {
  const cli = join(folder, 'dist/package/cli');
  const marker = 'kubernetes-client-javascript';
  const chunks = await readdir(join(cli, 'chunks'));
  const texts = await Promise.all(
    chunks.filter((name) => name.endsWith('.js')).map((name) => readFile(join(cli, 'chunks', name), 'utf8')),
  );
  expect(texts.filter((text) => text.includes(marker))).toHaveLength(1);
  // Commands load their own part; that of `controller` can reach a cluster.
  for (const name of ['mortise.js', ...chunks.filter((name) => /^controller-.*\.js$/.test(name))]) {
    const loaded = await readStaticImports(join(cli, name === 'mortise.js' ? name : `chunks/${name}`));
    expect(loaded.size).toBeGreaterThan(1);
    expect([...loaded].filter(([, text]) => text.includes(marker)).map(([path]) => path)).toEqual([]);
  }
});

test('A Node.js that is too old prints a sentence, and the exit code is 2.', async () => {
  const asOld = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.19.0"})';
  const bin = join(folder, 'node_modules', packageJson.name, 'cli/bin.js');
  await expect(run('node', ['--import', asOld, bin, '--help'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('mortise needs Node.js 22 or newer, and this is 20.19.0') as unknown,
  });
});
