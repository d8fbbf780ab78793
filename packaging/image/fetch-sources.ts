import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withDebian } from './debian.ts';
import type { Architecture, ImageLock, ImageSource } from './sources.ts';

/** Files of packages, each with the digest that the lock file has. */
export interface FetchedSources {
  /** A tarball of npm. */
  readonly node: string;
  /** Debian packages. */
  readonly debian: readonly string[];
}

/**
 * Downloads what the image of an architecture is made of, unless the cache has it. On a machine
 * without `apt-get`, put the Debian packages into the cache before.
 *
 * @param cache - a folder
 * @throws Error - a file differs from the lock file, or the mirror no longer has a version
 */
export async function fetchSources(
  { suite, sources }: ImageLock,
  architecture: Architecture,
  cache: string,
): Promise<FetchedSources> {
  await mkdir(cache, { recursive: true });
  const { node, debian } = sources[architecture];
  const debFiles = debian.map((source) => ({
    source,
    file: join(cache, debFileName(source, architecture)),
  }));
  const missing = debFiles.filter(({ file }) => !existsSync(file)).map(({ source }) => source);
  if (missing.length > 0) {
    await withDebian(
      { suite, architecture, folder: cache, isSigned: false },
      async ({ apt }) => await apt('apt-get', '-q', 'download', ...missing.map((one) => `${one.name}=${one.version}`)),
    );
  }
  const nodeFile = join(cache, `${node.name}-${node.version}.tgz`);
  if (!existsSync(nodeFile)) await packNode(node, cache);

  await verify(nodeFile, node.integrity);
  for (const { source, file } of debFiles) await verify(file, source.integrity);
  return { node: nodeFile, debian: debFiles.map(({ file }) => file) };
}

type Package = Pick<ImageSource, 'name' | 'version'>;

/** The name that `apt-get download` gives a file. */
export const debFileName = ({ name, version }: Package, architecture: Architecture): string =>
  `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`;

/** @returns the tarball */
export async function packNode({ name, version }: Package, folder: string): Promise<string> {
  const args = ['pack', `${name}@${version}`, '--pack-destination', folder];
  await promisify(execFile)('npm', args, { cwd: folder });
  return join(folder, `${name}-${version}.tgz`);
}

export async function integrityOf(file: string): Promise<string> {
  const digest = createHash('sha512').update(await readFile(file));
  return `sha512-${digest.digest('base64')}`;
}

async function verify(file: string, expected: string): Promise<void> {
  const actual = await integrityOf(file);
  if (actual !== expected) throw new Error(`${file} has the digest ${actual}, not ${expected}`);
}
