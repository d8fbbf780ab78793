import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { getOrCreate } from '../../shared/model/memo.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Undefined for files that are compressed already. */
  readonly gzipped?: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

const compress = promisify(gzip);

export interface Assets {
  /** Undefined if there is no such file, or it is not public. */
  find(path: string): Promise<Asset | undefined>;
}

/** Serves the files of a folder; each is read once. */
export function assetsIn(folder: string): Assets {
  const cache = new Map<string, Promise<Asset | undefined>>();
  return {
    find(path) {
      // Accepts only names that a build writes, so that no path leaves the folder.
      if (!/^\/(assets\/)?[\w-]+(\.[\w-]+)*$/.test(path) || !(extname(path) in TYPES)) {
        return Promise.resolve(undefined);
      }
      return getOrCreate(cache, path, () => readAsset(join(folder, path)));
    },
  };
}

async function readAsset(file: string): Promise<Asset | undefined> {
  const body = await readFile(file).catch(() => undefined);
  const type = TYPES[extname(file)];
  if (!body || !type) return undefined;
  return extname(file) === '.woff2'
    ? { type, body }
    : { type, body, gzipped: await compress(body) };
}
