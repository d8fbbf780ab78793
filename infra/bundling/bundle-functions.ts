import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { BUNDLING } from './bundling.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Writes `<folder>/<function>/index.mjs` and its source map for each function. */
export async function bundleFunctions(
  folder: string,
  { minifyIdentifiers = true }: { readonly minifyIdentifiers?: boolean } = {},
): Promise<Metafile> {
  const names = readdirSync(`${ROOT}functions`).filter((name) => name !== 'support');
  const { metafile } = await build({
    ...BUNDLING,
    minifyIdentifiers,
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => ({
      in: `functions/${name}/handler.ts`,
      out: `${name}/index`,
    })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
