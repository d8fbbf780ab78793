import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packFolder } from '../pack-folder.ts';
import { readSourceManifest, type SourceManifest } from '../source-manifest.ts';
import { fetchSources } from './fetch-sources.ts';
import {
  addImage,
  addLayer,
  type ContainerConfig,
  finishLayout,
  IMAGE_NAME,
  type PlatformImage,
} from './oci-layout.ts';
import { ARCHITECTURES, type Architecture, type ImageLock, parseLock } from './sources.ts';
import { NODE, PACKAGE, stageLayers, USER_ID } from './stage-layers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/mortise-image');

export interface BuiltImage {
  /** A folder with the OCI layout. */
  readonly layout: string;
  /** The layout as an archive, for `docker load`, `podman load` and `skopeo`. */
  readonly archive: string;
  /** Digest of the index of both architectures. */
  readonly digest: string;
  readonly lock: ImageLock;
}

/**
 * Builds the image of `mortise controller` from the npm package: without root, without a base image and
 * for both architectures. The same commit gives the same digest.
 *
 * @param dist - has the npm package in `package`, and gets the image
 * @param source - URL of the repository, for the labels
 */
export async function buildImage(
  dist: string,
  { source }: { readonly source?: string | undefined } = {},
): Promise<BuiltImage> {
  const lock = parseLock(await readFile(join(ROOT, 'packaging/image/lock.json'), 'utf8'));
  const manifest = await readSourceManifest();
  const { version } = manifest;
  const labels = { ...(await readLabels(manifest)), ...(source && labelsOf({ source })) };
  const layout = join(dist, 'image');
  await rm(layout, { recursive: true, force: true });
  const images: PlatformImage[] = [];
  for (const architecture of ARCHITECTURES) {
    images.push(await buildFor(architecture, { lock, layout, labels, dist }));
  }
  const digest = await finishLayout(layout, images, { tag: version, annotations: labels });
  const archive = join(dist, `${IMAGE_NAME}-image-${version}.tar`);
  const files = ['oci-layout', 'index.json', 'manifest.json', 'blobs'];
  await packFolder(layout, files, archive, { isCompressed: false, keepsModes: false });
  return { layout, archive, digest, lock };
}

type Labels = Readonly<Record<string, string>>;

interface BuildContext {
  readonly lock: ImageLock;
  readonly layout: string;
  readonly labels: Labels;
  readonly dist: string;
}

async function buildFor(
  architecture: Architecture,
  { lock, layout, labels, dist }: BuildContext,
): Promise<PlatformImage> {
  const sources = await fetchSources(lock, architecture, CACHE);
  const work = await mkdtemp(join(tmpdir(), 'mortise-image-'));
  try {
    const layers = [];
    for (const { folder, title } of await stageLayers(sources, join(dist, 'package'), work)) {
      const tar = `${folder}.tar`;
      await packFolder(folder, ['.'], tar, { isCompressed: false, keepsModes: true });
      layers.push(await addLayer(layout, tar, title));
    }
    const created = labels[`${LABEL}created`] ?? '';
    return await addImage(layout, { architecture, layers, config: configOf(labels), created });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const configOf = (labels: Labels): ContainerConfig => ({
  User: `${USER_ID}:${USER_ID}`,
  Env: ['PATH=/usr/local/bin', 'NODE_ENV=production', 'HOME=/home/nonroot'],
  Entrypoint: [NODE, `${PACKAGE}/cli/bin.js`],
  Cmd: ['controller', '--help'],
  WorkingDir: PACKAGE,
  ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
  Labels: labels,
});

const LABEL = 'org.opencontainers.image.';

const labelsOf = (values: Labels): Labels =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${LABEL}${key}`, value]));

/** The time is that of the commit. */
async function readLabels({ description, version, license }: SourceManifest): Promise<Labels> {
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%H %ct'], {
    cwd: ROOT,
  });
  const [revision = '', seconds] = stdout.trim().split(' ');
  return labelsOf({
    title: 'Mortise',
    description,
    version,
    revision,
    created: new Date(Number(seconds) * 1000).toISOString(),
    licenses: license,
  });
}
