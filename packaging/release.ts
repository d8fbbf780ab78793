import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeChangelog } from '../scripts/changelog.ts';
import { buildPackage } from './build-package.ts';
import { tryPublication } from './dry-run.ts';
import { buildImage } from './image/build-image.ts';
import { listImageComponents } from './image/components.ts';
import { packFolder } from './pack-folder.ts';
import { readReleases } from './read-releases.ts';
import { buildSbom, type Component, toNpmComponent } from './sbom.ts';
import { readSourceManifest } from './source-manifest.ts';

/**
 * `npm run release`: writes everything that is published to `dist/`, and prints the checksums. With
 * `--dry-run`, it also publishes the package to a local registry, and installs and runs it from there.
 */
const { 'dry-run': isDryRun } = parseArgs({ options: { 'dry-run': { type: 'boolean' } } }).values;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const ARCHIVE = { isCompressed: true, keepsModes: false };

const subject = await readSourceManifest();
const { version } = subject;

const { tarball, libraries } = await buildPackage(DIST);
const bundled = libraries.map(toNpmComponent);
const sbom = await writeSbom(`mortise-${version}.cdx.json`, bundled);
const image = await buildImage(DIST, { source: repositoryUrl() });
const imageSbom = await writeSbom(`mortise-image-${version}.cdx.json`, [
  ...bundled,
  ...listImageComponents(image.lock),
]);
const changelog = join(DIST, 'CHANGELOG.md');
await writeFile(changelog, writeChangelog(await readReleases(ROOT, version)));
const chart = join(DIST, `mortise-chart-${version}.tgz`);
await packFolder(join(ROOT, 'charts'), ['mortise'], chart, ARCHIVE);
const module = join(DIST, `mortise-terraform-${version}.tgz`);
await packFolder(ROOT, ['terraform'], module, ARCHIVE);

const files = [tarball, image.archive, chart, module, sbom, imageSbom, changelog].toSorted();
const sums = await Promise.all(files.map(async (file) => `${await digest(file)}  ${basename(file)}\n`));
await writeFile(join(DIST, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
if (isDryRun) {
  for (const line of await tryPublication(tarball, subject)) process.stdout.write(`${line}\n`);
}

/** @returns the file */
async function writeSbom(name: string, components: readonly Component[]): Promise<string> {
  const file = join(DIST, name);
  await writeFile(file, `${JSON.stringify(buildSbom(subject, components), undefined, 2)}\n`);
  return file;
}

/** Known in GitHub Actions; links the image to its repository. */
function repositoryUrl(): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  return GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

async function digest(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
