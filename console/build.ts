import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

const PAGE = fileURLToPath(new URL('page/', import.meta.url));
const DIST = fileURLToPath(new URL('dist/', import.meta.url));
/** Written last, so that an interrupted build is repeated. */
const STAMP = 'built';

/**
 * Bundles the page into a folder, in about a second. Files of an earlier build are overwritten, not
 * removed, because a running server may still serve them.
 *
 * @returns the bundled files and their sources
 */
export async function buildConsole(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { page: join(PAGE, 'main.tsx') },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.woff2': 'file', '.module.css': 'local-css' },
    assetNames: 'assets/[name]-[hash]',
    legalComments: 'linked',
    metafile: true,
    logLevel: 'error',
  });
  return metafile;
}

/** Returns the folder to serve, and builds it again if a source of the page is newer. */
export async function builtConsole(): Promise<string> {
  const built = await changedAt(join(DIST, STAMP));
  if (built !== undefined && built > (await newestSource())) return DIST;
  await buildConsole(DIST);
  await writeFile(join(DIST, STAMP), '');
  return DIST;
}

const changedAt = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.mtimeMs;

async function newestSource(): Promise<number> {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const names = await readdir(root, { recursive: true });
  const sources = names.filter((name) => !name.startsWith('dist') && /\.(tsx?|css|svg)$/.test(name));
  const times = await Promise.all(sources.map((name) => changedAt(join(root, name))));
  return Math.max(...times.map((time) => time ?? 0));
}
