import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import type { FetchedSources } from './fetch-sources.ts';

const run = promisify(execFile);

/** The user of distroless images. */
export const USER_ID = 65_532;
export const NODE = '/usr/local/bin/node';
export const PACKAGE = '/opt/mortise';
/** The parts of the npm package that commands read; the construct and its types are not. */
const PACKAGE_PARTS = ['cli', 'console', 'package.json', 'NOTICE', 'LICENSE'];
/** Libraries, licences, and the name of the release. */
const USED_FILES =
  /^usr\/(lib(64)?\/([^/]+-linux-gnu\/)?[^/]+\.so[^/]*|lib\/os-release|share\/doc\/[^/]+(\/copyright)?|share\/common-licenses\/.+)$/;

/** Runtimes mount `dev`, `proc` and `sys`, which a read-only root has to have. */
const EMPTY_FOLDERS = [
  ...['dev', 'proc', 'sys', 'tmp', 'run', 'root', 'home/nonroot'],
  ...['etc', 'usr/lib64', 'var/lib/dpkg/status.d'],
];

export interface StagedLayer {
  readonly folder: string;
  /** A sentence for the history of the image. */
  readonly title: string;
}

/**
 * Writes the files of each layer to a folder: libraries, Node.js, Mortise. What changes rarely comes
 * first, so that an upgrade transfers little.
 *
 * @throws Error - a library that Node.js needs is missing
 */
export async function stageLayers(
  sources: FetchedSources,
  packageFolder: string,
  workFolder: string,
): Promise<readonly StagedLayer[]> {
  const layers = {
    base: { folder: join(workFolder, 'base'), title: 'Debian libraries' },
    node: { folder: join(workFolder, 'node'), title: 'Node.js' },
    mortise: { folder: join(workFolder, 'mortise'), title: 'Mortise' },
  };
  await stageBase(layers.base.folder, sources.debian, join(workFolder, 'packages'));
  await stageNode(layers.node.folder, sources.node);
  const target = join(layers.mortise.folder, PACKAGE);
  await mkdir(target, { recursive: true });
  for (const part of PACKAGE_PARTS) {
    await cp(join(packageFolder, part), join(target, part), { recursive: true });
  }
  await checkLibraries(layers.base.folder, join(layers.node.folder, NODE));
  for (const { folder } of Object.values(layers)) {
    await run('chmod', ['-R', 'u=rwX,go=rX', folder]);
  }
  await chmod(join(layers.base.folder, 'tmp'), 0o1777);
  return Object.values(layers);
}

async function stageBase(folder: string, debs: readonly string[], unpacked: string): Promise<void> {
  for (const path of EMPTY_FOLDERS) await mkdir(join(folder, path), { recursive: true });
  for (const deb of debs) await unpackDeb(deb, folder, unpacked);
  // Since 2023, Debian has all files of /lib in /usr/lib.
  for (const name of ['lib', 'lib64']) await symlink(`usr/${name}`, join(folder, name));
  const files = {
    passwd: `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER_ID}:${USER_ID}:nonroot:/home/nonroot:/sbin/nologin\n`,
    group: `root:x:0:\nnonroot:x:${USER_ID}:\n`,
    'nsswitch.conf': 'hosts: files dns\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'etc', name), text);
  await symlink('../usr/lib/os-release', join(folder, 'etc/os-release'));
}

/** Unpacks the used files of a Debian package, and notes its version where scanners look for it. */
async function unpackDeb(deb: string, folder: string, unpacked: string): Promise<void> {
  await rm(unpacked, { recursive: true, force: true });
  await run('dpkg-deb', ['--extract', deb, unpacked]);
  const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = posix.join(entry.parentPath.slice(unpacked.length + 1), entry.name);
    // Packages from before 2023 have their libraries in /lib.
    const target = path.replace(/^lib(64)?\//, 'usr/lib$1/');
    if (entry.isDirectory() || !USED_FILES.test(target)) continue;
    await mkdir(dirname(join(folder, target)), { recursive: true });
    await rename(join(unpacked, path), join(folder, target));
  }
  const { stdout: control } = await run('dpkg-deb', ['--field', deb]);
  const name = basename(deb).split('_')[0] ?? '';
  await writeFile(join(folder, 'var/lib/dpkg/status.d', name), control);
}

async function stageNode(folder: string, tarball: string): Promise<void> {
  const licence = join(folder, 'usr/share/doc/nodejs');
  const bin = join(folder, dirname(NODE));
  for (const path of [licence, bin]) await mkdir(path, { recursive: true });
  const extract = (target: string, file: string, depth: number) => {
    const args = ['-xzf', tarball, '-C', target, `--strip-components=${depth}`, `package/${file}`];
    return run('tar', args);
  };
  await extract(bin, 'bin/node', 2);
  await extract(licence, 'LICENSE', 1);
}

async function checkLibraries(base: string, node: string): Promise<void> {
  const { interpreter, libraries } = await readExecutable(node);
  const folders = ['usr/lib', ...(await listTripletFolders(base))];
  const missing = libraries.filter((name) => !folders.some((folder) => existsSync(join(base, folder, name))));
  if (!existsSync(join(base, interpreter))) missing.push(interpreter);
  if (missing.length > 0) throw new Error(`Node.js needs ${missing.join()}, which no package has`);
}

async function listTripletFolders(base: string): Promise<readonly string[]> {
  const names = await readdir(join(base, 'usr/lib'));
  return names.filter((name) => name.endsWith('-linux-gnu')).map((name) => `usr/lib/${name}`);
}

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1;
const DT_STRTAB = 5;

interface Executable {
  /** The program that loads the libraries: an absolute path. */
  readonly interpreter: string;
  /** File names of the libraries that it needs. */
  readonly libraries: readonly string[];
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/**
 * Reads from an executable what has to be in an image besides it, so that an image for another
 * architecture can be checked where it cannot run.
 *
 * @see ELF-64 Object File Format, version 1.5: little endian
 */
async function readExecutable(file: string): Promise<Executable> {
  const bytes = await readFile(file);
  const segments = readSegments(bytes);
  const textAt = (offset: number): string => bytes.toString('latin1', offset, bytes.indexOf(0, offset));

  const interpreter = segments.find(({ type }) => type === PT_INTERP);
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (!interpreter || !dynamic) throw new Error(`${file} loads no libraries`);

  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return { tag: Number(bytes.readBigInt64LE(at)), value: Number(bytes.readBigUInt64LE(at + 8)) };
  });
  const strings = offsetOf(segments, entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0);
  const needed = entries.filter(({ tag }) => tag === DT_NEEDED);
  return {
    interpreter: textAt(interpreter.offset),
    libraries: needed.map(({ value }) => textAt(strings + value)),
  };
}

function readSegments(bytes: Buffer): readonly Segment[] {
  const table = Number(bytes.readBigUInt64LE(0x20));
  const entrySize = bytes.readUInt16LE(0x36);
  return Array.from({ length: bytes.readUInt16LE(0x38) }, (_, index) => {
    const at = table + index * entrySize;
    return {
      type: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      address: Number(bytes.readBigUInt64LE(at + 16)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
}

/** @returns where the byte at a virtual address is in the file */
function offsetOf(segments: readonly Segment[], address: number): number {
  const segment = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.size,
  );
  if (!segment) throw new Error(`no segment contains the address ${address}`);
  return address - segment.address + segment.offset;
}
