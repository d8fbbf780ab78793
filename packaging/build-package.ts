import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { BuildInfo } from '../cli/build-info.ts';
import { buildConsole } from '../console/build.ts';
import { bundleCommand } from './bundle-command.ts';
import { bundleConstruct } from './bundle-construct.ts';
import { packageManifest } from './manifest.ts';
import { type Library, listLibraries, writeNotice } from './notice.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

export interface BuiltPackage {
  readonly tarball: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Libraries that the package contains. */
  readonly libraries: readonly Library[];
}

/**
 * Writes the npm package to `<dist>/package`, and its tarball to `dist`. What was in `dist/package`
 * is removed.
 */
export async function buildPackage(dist: string): Promise<BuiltPackage> {
  const folder = join(dist, 'package');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest: unknown = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const command = await bundleCommand(ROOT, folder, await readBuildInfo());
  const page = await buildConsole(join(folder, 'console'));
  const construct = await bundleConstruct(ROOT, folder);
  const bundled = [command, page, ...construct].flatMap(({ inputs }) => Object.keys(inputs));
  const libraries = await listLibraries(ROOT, bundled);

  await Promise.all([
    writeFile(join(folder, 'package.json'), `${JSON.stringify(packageManifest(manifest), undefined, 2)}\n`),
    writeFile(join(folder, 'NOTICE'), writeNotice(libraries)),
    ...['LICENSE', 'README.md'].map((file) => cp(join(ROOT, file), join(folder, file))),
    cp(join(ROOT, 'terraform'), join(folder, 'terraform'), { recursive: true }),
  ]);
  return { ...(await pack(folder, dist)), libraries };
}

async function readBuildInfo(): Promise<BuildInfo> {
  const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: ROOT })).stdout.trim();
  return {
    commit: await git('rev-parse', '--short=10', 'HEAD'),
    date: await git('log', '-1', '--format=%cs'),
  };
}

const packedSchema = z.tuple([
  z.object({
    filename: z.string(),
    version: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
  }),
]);

async function pack(folder: string, dist: string): Promise<Omit<BuiltPackage, 'libraries'>> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', dist], {
    cwd: folder,
  });
  const [{ filename, version, size, unpackedSize }] = packedSchema.parse(JSON.parse(stdout));
  // npm puts the scope into the name of the file. All files of a release begin with `mortise`.
  const tarball = join(dist, `mortise-${version}.tgz`);
  await rename(join(dist, filename), tarball);
  return { tarball, packedBytes: size, unpackedBytes: unpackedSize };
}
