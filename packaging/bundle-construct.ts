import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { bundleFunctions } from '../infra/bundling/bundle-functions.ts';
import { replaceModules } from './replace-modules.ts';
import { REQUIRE_BANNER } from './require-banner.ts';

/** The window contains all functions, so that code that they share is stored once: 64 MiB. */
const WINDOW_BITS = 26;
/** The best quality takes a minute and saves 5 %. */
const QUALITY = 9;

/**
 * Writes the CDK construct `<out>/cdk/index.js` with its types, the app of `mortise deploy`
 * `<out>/cdk/app.js`, that of `mortise template` `<out>/cdk/template.js`, and the functions' code.
 *
 * @returns the metafiles of construct and functions
 */
export async function bundleConstruct(root: string, out: string): Promise<readonly Metafile[]> {
  const folder = join(out, 'cdk');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      index: 'infra/mortise.ts',
      app: 'packaging/packaged/app.ts',
      template: 'infra/template-app.ts',
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: ['aws-cdk-lib', 'constructs'],
    banner: { js: REQUIRE_BANNER },
    plugins: [
      replaceModules({
        [join(root, 'infra/function-code.ts')]:
          `export * from ${JSON.stringify(join(root, 'packaging/packaged/function-code.ts'))};`,
      }),
    ],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const functions = await archiveFunctions(join(folder, 'functions.json.br'));
  await writeTypes(root, join(folder, 'types'));
  return [metafile, functions];
}

async function archiveFunctions(file: string): Promise<Metafile> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-bundles-'));
  try {
    // Each bundle gets short names of its own, and equal code would no longer be stored once.
    const metafile = await bundleFunctions(folder, { minifyIdentifiers: false });
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(mjs|map)$/.test(name));
    const entries = names.toSorted().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
    const text = JSON.stringify(Object.fromEntries(await Promise.all(entries)));
    const params = {
      [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    };
    await writeFile(file, await promisify(brotliCompress)(text, { params }));
    return metafile;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeTypes(root: string, outDir: string): Promise<void> {
  await promisify(execFile)(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', join(root, 'packaging/tsconfig.json'), '--outDir', outDir],
    { cwd: root },
  );
}
