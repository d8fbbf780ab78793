import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { BuildInfo } from '../cli/build-info.ts';
import { removeLibraryMaps } from './remove-library-maps.ts';
import { replaceModules } from './replace-modules.ts';
import { REQUIRE_BANNER } from './require-banner.ts';

/** Runs on the oldest Node.js that the package supports (packaged/bin.js). */
const TARGET = 'node22';

/**
 * Bundles the command with all its libraries. Each part that a command loads when it runs is a file
 * of its own, so that `mortise --help` reads none of the others.
 */
export async function bundleCommand(root: string, out: string, buildInfo: BuildInfo): Promise<Metafile> {
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
