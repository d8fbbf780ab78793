import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSourceManifest } from '../source-manifest.ts';
import { withDebian } from './debian.ts';
import { debFileName, integrityOf, packNode } from './fetch-sources.ts';
import {
  ARCHITECTURES,
  type Architecture,
  DEBIAN_PACKAGES,
  type ImageLock,
  type ImageSources,
  NODE_PACKAGES,
} from './sources.ts';

/**
 * `npm run image -- lock`: pins the Node.js of `package.json` and the newest version of each Debian
 * package in `lock.json`.
 */
const SUITE = 'trixie';
const folder = await mkdtemp(join(tmpdir(), 'mortise-image-'));
try {
  const [amd64, arm64] = [await pin('amd64'), await pin('arm64')];
  const lock: ImageLock = { suite: SUITE, sources: { amd64, arm64 } };
  const file = new URL('lock.json', import.meta.url);
  await writeFile(file, `${JSON.stringify(lock, undefined, 2)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`pinned for ${ARCHITECTURES.join(' and ')}\n`);

async function pin(architecture: Architecture): Promise<ImageSources> {
  const { devDependencies } = await readSourceManifest();
  const node = { name: NODE_PACKAGES[architecture], version: devDependencies.node };
  const integrity = await integrityOf(await packNode(node, folder));
  const debian = await withDebian({ suite: SUITE, architecture, folder, isSigned: true }, async ({ apt }) => {
    const lists = await apt('apt-cache', 'show', '--no-all-versions', ...DEBIAN_PACKAGES);
    const packages = lists
      .trim()
      .split('\n\n')
      .map((entry) => ({ name: fieldOf(entry, 'Package'), version: fieldOf(entry, 'Version') }));
    await apt('apt-get', '-q', 'download', ...DEBIAN_PACKAGES);
    return await Promise.all(
      packages.map(async (one) => {
        const file = join(folder, debFileName(one, architecture));
        return { ...one, integrity: await integrityOf(file) };
      }),
    );
  });
  return { node: { ...node, integrity }, debian };
}

function fieldOf(entry: string, name: string): string {
  const value = new RegExp(`^${name}: (.*)$`, 'm').exec(entry)?.[1];
  if (value === undefined) throw new Error(`Debian's list has no ${name}: ${entry}`);
  return value;
}
