import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { buildSync, type Metafile } from 'esbuild';
import { BUNDLING } from './bundling.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FUNCTIONS = join(ROOT, 'functions');
/** Always the same folder: source maps contain paths relative to it, and the code's hash covers them. */
const BUNDLES = fileURLToPath(new URL('dist/', import.meta.url));

let bundled = false;

/**
 * Returns the code of a function. The first call bundles all functions, in about three seconds.
 *
 * @param entry - the function's folder below `functions/`
 */
export function functionCode(scope: Construct, entry: string): Code {
  // The CDK sets this for commands that need no code, such as `cdk ls`.
  if (!Stack.of(scope).bundlingRequired) return Code.fromAsset(join(FUNCTIONS, entry));
  if (!bundled) bundleFunctions(BUNDLES);
  bundled = true;
  return Code.fromAsset(join(BUNDLES, entry));
}

/** Writes `<folder>/<function>/index.mjs` and its source map for each function. */
export function bundleFunctions(
  folder: string,
  { minifyIdentifiers = true }: { readonly minifyIdentifiers?: boolean } = {},
): Metafile {
  const { banner, mainFields, ...options } = BUNDLING;
  const names = readdirSync(FUNCTIONS).filter((name) => name !== 'support');
  const { metafile } = buildSync({
    ...options,
    minifyIdentifiers,
    absWorkingDir: ROOT,
    mainFields: [...mainFields],
    banner: { js: banner },
    entryPoints: names.map((name) => ({
      in: `functions/${name}/handler.ts`,
      out: `${name}/index`,
    })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // The SDK is bundled too: the runtime's version is not pinned.
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
