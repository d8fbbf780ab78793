import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { z } from 'zod';
import type { BuildInfo } from '../cli/build-info.ts';
import { buildConsole } from '../console/build.ts';
import { bundleConstruct } from './bundle-construct.ts';
import { type Library, listLibraries, writeNotice } from './notice.ts';
import { replaceModules } from './replace-modules.ts';
import { REQUIRE_BANNER } from './require-banner.ts';

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

/** The fields that the published package takes over from the `package.json` of a clone. */
const sourceSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  description: z.string(),
});

const PEERS = { 'aws-cdk': '^2.1148.0', 'aws-cdk-lib': '^2.276.0', constructs: '^10.8.0' };

/**
 * The `package.json` of the published package. It has no dependencies: the command contains its
 * libraries, and only the construct needs the CDK.
 *
 * @param source - the parsed `package.json` of a clone
 */
export const packageManifest = (source: unknown): Readonly<Record<string, unknown>> => ({
  ...sourceSchema.parse(source),
  type: 'module',
  bin: { mortise: 'cli/bin.js' },
  exports: { './cdk': { types: './cdk/types/infra/mortise.d.ts', default: './cdk/index.js' } },
  // Only the construct and `mortise deploy` need them.
  peerDependencies: PEERS,
  peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
  engines: { node: '>=22' },
  keywords: ['kubernetes', 'eks', 'aws', 'autoscaler', 'karpenter', 'serverless'],
});

/** Runs on the oldest Node.js that the package supports (packaged/bin.js). */
const TARGET = 'node22';

/**
 * Bundles the command with all its libraries. Each part that a command loads when it runs is a file
 * of its own, so that `mortise --help` reads none of the others.
 */
async function bundleCommand(root: string, out: string, buildInfo: BuildInfo): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { mortise: 'cli/mortise.ts' },
    outdir: join(out, 'cli'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: TARGET,
    // CommonJS builds of the SDK are a quarter larger.
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE_BANNER },
    plugins: [
      replaceModules({
        [join(root, 'console/build.ts')]: `export * from ${JSON.stringify(join(root, PACKAGED_CONSOLE))};`,
        [join(root, 'cli/deploy/cdk-app.ts')]:
          `export * from ${JSON.stringify(join(root, 'packaging/packaged/cdk-app.ts'))};`,
        [join(root, 'cli/build-info.ts')]: `export const BUILD_INFO = ${JSON.stringify(buildInfo)};`,
      }),
    ],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  await removeLibraryMaps(root, metafile);
  const packaged = join(root, 'packaging/packaged');
  await cp(join(packaged, 'bin.js'), join(out, 'cli/bin.js'));
  // The playground reads it from the folder beside the one of its own file.
  await cp(join(root, 'cli/demo'), join(out, 'cli/demo'), {
    recursive: true,
    filter: (source) => !source.endsWith('.ts'),
  });
  return metafile;
}

const PACKAGED_CONSOLE = 'packaging/packaged/console-folder.ts';

/**
 * Removes the source maps of files that contain libraries only: they would be larger than all the
 * rest, and no report of a defect in Mortise needs them.
 */
async function removeLibraryMaps(root: string, { outputs }: Metafile): Promise<void> {
  const files = Object.entries(outputs).filter(
    ([path, { inputs }]) => path.endsWith('.js') && Object.keys(inputs).every(isLibrary),
  );
  await Promise.all(
    files.map(async ([path]) => {
      const file = join(root, path);
      const code = await readFile(file, 'utf8');
      await writeFile(file, code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
      await rm(`${file}.map`, { force: true });
    }),
  );
}

const isLibrary = (input: string): boolean => input.includes('node_modules/');
