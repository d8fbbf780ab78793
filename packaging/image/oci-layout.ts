import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Architecture } from './sources.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** Names of images have no scope, unlike that of the npm package. */
export const IMAGE_NAME = 'mortise';

/** A blob of the layout. @see https://github.com/opencontainers/image-spec/blob/main/descriptor.md */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: Architecture; readonly os: 'linux' };
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of the uncompressed layer. */
  readonly diffId: string;
  readonly title: string;
}

/** How containers of the image start; the fields of an image configuration. */
export interface ContainerConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface PlatformImage {
  readonly architecture: Architecture;
  readonly manifest: Descriptor;
  readonly config: Descriptor;
  readonly layers: readonly Layer[];
}

const blobPath = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;
const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Compresses a layer and adds it to the layout. */
export async function addLayer(layout: string, tar: string, title: string): Promise<Layer> {
  const [content, compressed] = [createHash('sha256'), createHash('sha256')];
  const unnamed = `${tar}.gz`;
  const passThrough = (hash: typeof content) =>
    new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk);
        done(undefined, chunk);
      },
    });
  await pipeline(
    createReadStream(tar),
    passThrough(content),
    createGzip({ level: 9 }),
    passThrough(compressed),
    createWriteStream(unnamed),
  );
  const { size } = await stat(unnamed);
  const descriptor = { mediaType: LAYER, digest: `sha256:${compressed.digest('hex')}`, size };
  await mkdir(join(layout, 'blobs/sha256'), { recursive: true });
  await rename(unnamed, join(layout, blobPath(descriptor)));
  return { descriptor, diffId: `sha256:${content.digest('hex')}`, title };
}

/** Adds the configuration and the manifest of the image for one architecture. */
export async function addImage(
  layout: string,
  {
    architecture,
    layers,
    config,
    created,
  }: {
    readonly architecture: Architecture;
    readonly layers: readonly Layer[];
    readonly config: ContainerConfig;
    /** ISO 8601. */
    readonly created: string;
  },
): Promise<PlatformImage> {
  const platform = { architecture, os: 'linux' } as const;
  const configDescriptor = await addJson(layout, CONFIG, {
    created,
    ...platform,
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ title }) => ({
      created,
      created_by: 'packaging/image',
      comment: title,
    })),
  });
  const manifest = await addJson(layout, MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: configDescriptor,
    layers: layers.map(({ descriptor }) => descriptor),
    annotations: config.Labels,
  });
  return { architecture, manifest: { ...manifest, platform }, config: configDescriptor, layers };
}

/**
 * Names the images in the layout: all of them together by `tag`, and for `docker load` each by its
 * architecture, because that reads no index.
 *
 * @returns the digest of the index
 */
export async function finishLayout(
  layout: string,
  images: readonly PlatformImage[],
  {
    tag,
    annotations,
  }: {
    readonly tag: string;
    readonly annotations: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const index = await addJson(layout, INDEX, {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: images.map(({ manifest }) => manifest),
    annotations,
  });
  const ref = {
    'io.containerd.image.name': `${IMAGE_NAME}:${tag}`,
    'org.opencontainers.image.ref.name': tag,
  };
  const files = {
    'oci-layout': { imageLayoutVersion: '1.0.0' },
    'index.json': {
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: [{ ...index, annotations: ref }],
    },
    'manifest.json': images.map(({ architecture, config, layers }) => ({
      Config: blobPath(config),
      RepoTags: [`${IMAGE_NAME}:${tag}-${architecture}`],
      Layers: layers.map(({ descriptor }) => blobPath(descriptor)),
    })),
  };
  for (const [file, value] of Object.entries(files)) {
    await writeFile(join(layout, file), JSON.stringify(value));
  }
  return index.digest;
}

async function addJson(layout: string, mediaType: string, value: object): Promise<Descriptor> {
  const bytes = Buffer.from(JSON.stringify(value));
  const descriptor = { mediaType, digest: sha256(bytes), size: bytes.length };
  await writeFile(join(layout, blobPath(descriptor)), bytes);
  return descriptor;
}
