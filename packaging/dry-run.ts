import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type LocalRegistry, startLocalRegistry } from './local-registry.ts';
import type { SourceManifest } from './source-manifest.ts';

const EXAMPLE = fileURLToPath(new URL('../examples/spot-batch', import.meta.url));

/**
 * Publishes the package to a registry on loopback with the options of the workflow `release`, installs it
 * from there by its name into an empty folder, beside the CDK from the npm registry, and runs it there.
 *
 * @param tarball - of the package
 * @returns what was run, a line each
 * @throws Error - a command failed, or its output is not that of a working package
 */
export async function tryPublication(tarball: string, manifest: SourceManifest): Promise<readonly string[]> {
  const parent = await mkdtemp(join(tmpdir(), 'mortise release '));
  try {
    const folders = { registry: join(parent, 'registry'), user: join(parent, 'empty folder') };
    for (const folder of Object.values(folders)) await mkdir(folder);
    const registry = await startLocalRegistry(folders.registry);
    try {
      await publish(tarball, registry, folders.registry);
      return [
        `published ${manifest.name}@${manifest.version} to ${registry.url}`,
        await install(tarball, registry, folders.user, manifest),
        await simulate(folders.user, manifest),
        await synthesise(folders.user, manifest),
      ];
    } finally {
      await registry.stop();
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

async function publish(tarball: string, { url, token }: LocalRegistry, folder: string) {
  // The only settings of npm, so that no token of the user's reaches any other registry.
  const settings = join(folder, 'publish.npmrc');
  await writeFile(settings, `registry=${url}\n${url.replace('http:', '')}/:_authToken=${token}\n`);
  const args = ['publish', '--userconfig', settings, '--registry', url];
  await run('npm', [...args, '--ignore-scripts', '--access', 'public', tarball], folder);
}

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ integrity: z.string().optional() })),
});

/** Only the scope of the package has the local registry, as a company configures a registry of its own. */
async function install(
  tarball: string,
  { url }: LocalRegistry,
  folder: string,
  { name, version, devDependencies }: SourceManifest,
): Promise<string> {
  const [scope] = name.split('/');
  const { 'aws-cdk': cdk, 'aws-cdk-lib': library, constructs } = devDependencies;
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  await writeFile(join(folder, '.npmrc'), `${scope}:registry=${url}\n`);
  const cdkPackages = [`aws-cdk@${cdk}`, `aws-cdk-lib@${library}`, `constructs@${constructs}`];
  await run('npm', ['install', '--no-audit', '--no-fund', name, ...cdkPackages], folder);

  const lock = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = lockSchema.parse(JSON.parse(lock));
  const digest = createHash('sha512').update(await readFile(tarball));
  check(
    packages[`node_modules/${name}`]?.integrity === `sha512-${digest.digest('base64')}`,
    'what npm installed is not the tarball',
  );
  return `installed ${name}@${version} by its name, beside ${cdkPackages.join(', ')}`;
}

const bin = (folder: string, name: string): string => join(folder, 'node_modules/.bin', name);

async function simulate(folder: string, { version }: SourceManifest): Promise<string> {
  const mortise = (...args: readonly string[]): Promise<string> => run(bin(folder, 'mortise'), args, folder);
  check((await mortise('version')).includes(version), `mortise version does not print ${version}`);
  const printed = await mortise('simulate', '-f', EXAMPLE, '--for', '1h');
  check(/ [1-9][\d,]* ran, 0 unplaced/.test(printed), `mortise simulate printed:\n${printed}`);
  return `mortise simulate: ${printed.split('\n', 1).join()}`;
}

const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string() })),
});

async function synthesise(folder: string, { name }: SourceManifest): Promise<string> {
  const app = `
import { App, Stack } from 'aws-cdk-lib';
import { Mortise } from '${name}/cdk';

new Mortise(new Stack(new App(), 'Platform'), 'Mortise', { cluster: 'shop' });
`;
  await writeFile(join(folder, 'app.mjs'), app);
  await run(bin(folder, 'cdk'), ['synth', '--quiet', '--app', 'node app.mjs'], folder);
  const template = await readFile(join(folder, 'cdk.out/Platform.template.json'), 'utf8');
  const types = Object.values(templateSchema.parse(JSON.parse(template)).Resources).map(({ Type }) => Type);
  check(types.includes('AWS::Lambda::Function'), 'cdk synth wrote a template without functions');
  return `cdk synth: ${types.length} resources`;
}

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 ** 2 });
  return stdout;
}

function check(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(`The dry run of the release failed: ${otherwise}.`);
}
