import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { buildImage } from '../../../packaging/image/build-image.ts';
import type { Architecture } from '../../../packaging/image/sources.ts';
import { listAt, textAt, valueAt } from '../lab/json.ts';
import { runCommand } from '../lab/run-command.ts';
import { expect } from '../scenario.ts';

/** The image for this machine, unpacked by the tools that cluster nodes or registries have. */
export interface UnpackedImage {
  readonly digest: string;
  readonly rootFileSystem: string;
  /** The runtime configuration that umoci makes of the image's. */
  readonly config: unknown;
}

export interface Container {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folders of this machine by their paths in the container, where they are read-only. */
  readonly mounts: Readonly<Record<string, string>>;
}

const { version } = packageJson;
const ARCHITECTURE: Architecture = arch() === 'arm64' ? 'arm64' : 'amd64';
/** A container runtime gives each container its own. */
const HOST_FILES = ['/etc/hosts', '/etc/resolv.conf'];

/**
 * Builds the image, checks that it has both architectures in both forms of an archive, and unpacks it.
 *
 * @param dist - has the npm package in `package`
 * @throws Error - skopeo or umoci is missing
 */
export async function unpackImage(dist: string): Promise<UnpackedImage> {
  const { archive, digest } = await buildImage(dist);
  const skopeo = (...args: readonly string[]): Promise<string> => runCommand({ command: 'skopeo', args });
  for (const architecture of ['amd64', 'arm64']) {
    const forIndex = ['inspect', '--config', '--override-os=linux'];
    const inspected: unknown[] = [
      JSON.parse(await skopeo(...forIndex, `--override-arch=${architecture}`, `oci-archive:${archive}`)),
      JSON.parse(await skopeo('inspect', '--config', `docker-archive:${archive}:${tagOf(architecture)}`)),
    ];
    for (const config of inspected) {
      const actual = textAt(config, 'architecture');
      expect(actual === architecture, `the image for ${architecture} is for ${actual}`);
    }
  }
  const layout = join(dist, 'one-architecture');
  const copy = ['copy', '--quiet', `--override-arch=${ARCHITECTURE}`, '--override-os=linux'];
  await skopeo(...copy, `oci-archive:${archive}`, `oci:${layout}:mortise`);
  const bundle = join(dist, 'bundle');
  const args = ['unpack', '--rootless', '--image', `${layout}:mortise`, bundle];
  await runCommand({ command: 'umoci', args });
  const config: unknown = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'));
  return { digest, rootFileSystem: join(bundle, 'rootfs'), config };
}

const tagOf = (architecture: string): string => `mortise:${version}-${architecture}`;

/**
 * How to run a container of the image with bubblewrap: as the image's user, with a read-only root and
 * the network of this machine.
 */
export function containerCommand(
  { rootFileSystem, config }: UnpackedImage,
  { args, environment, mounts }: Container,
): { readonly command: string; readonly args: readonly string[] } {
  const process = valueAt(config, 'process');
  const user = String(valueAt(process, 'user', 'uid'));
  expect(user !== '0', 'the image runs as root');
  for (const path of Object.keys(mounts)) mkdirSync(join(rootFileSystem, path), { recursive: true });
  for (const path of HOST_FILES) {
    mkdirSync(join(rootFileSystem, dirname(path)), { recursive: true });
    writeFileSync(join(rootFileSystem, path), '');
  }
  const binds = [...Object.entries(mounts), ...HOST_FILES.map((path) => [path, path] as const)];
  const fromImage = listAt(process, 'env').map((line) => String(line).split(/=(.*)/s));
  const variables = [...fromImage, ...Object.entries(environment)];
  // The entry point of the image, without its default arguments.
  const entryPoint = listAt(process, 'args').slice(0, 2).map(String);
  return {
    command: 'bwrap',
    args: [
      ...['--ro-bind', rootFileSystem, '/'],
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
      ...binds.flatMap(([path, source]) => ['--ro-bind', source, path]),
      ...['--unshare-all', '--share-net', '--die-with-parent', '--uid', user, '--gid', user],
      '--clearenv',
      ...variables.flatMap(([name = '', value = '']) => ['--setenv', name, value]),
      ...['--chdir', textAt(process, 'cwd'), '--', ...entryPoint, ...args],
    ],
  };
}
