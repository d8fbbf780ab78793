import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { writeChangelog } from '../scripts/changelog.ts';
import { buildPackage } from './build-package.ts';
import { readReleases } from './read-releases.ts';
import { buildSbom } from './sbom.ts';

/** `npm run release`: writes everything that is published to `dist/`, and prints the checksums. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');

const subject = z
  .object({ name: z.string(), version: z.string(), license: z.string() })
  .parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
const { version } = subject;

const { tarball, libraries } = await buildPackage(DIST);
const sbom = join(DIST, `mortise-${version}.cdx.json`);
await writeFile(sbom, `${JSON.stringify(buildSbom(subject, libraries), undefined, 2)}\n`);
const changelog = join(DIST, 'CHANGELOG.md');
await writeFile(changelog, writeChangelog(await readReleases(ROOT, version)));
const chart = join(DIST, `mortise-chart-${version}.tgz`);
await packFolder(join(ROOT, 'charts'), 'mortise', chart);
const module = join(DIST, `mortise-terraform-${version}.tgz`);
await packFolder(ROOT, 'terraform', module);

const files = [tarball, chart, module, sbom, changelog].toSorted();
const sums = await Promise.all(
  files.map(async (file) => `${await digest(file)}  ${basename(file)}\n`),
);
await writeFile(join(DIST, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));

/** Without times and users, so that equal folders have equal archives. */
async function packFolder(parent: string, folder: string, file: string): Promise<void> {
  const names = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const args = ['--use-compress-program=gzip -n', '-cf', file, '-C', parent, folder];
  await promisify(execFile)('tar', [...names, ...args]);
}

async function digest(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
