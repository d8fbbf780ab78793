import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { getOrCreate } from '../../shared/model/memo.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Absent for what is compressed already. */
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
  /** Absent: no such file, or one that is not for pages. */
  find(path: string): Promise<Asset | undefined>;
}

/** Files of one folder, each read once. */
export function assetsIn(folder: string): Assets {
  const known = new Map<string, Promise<Asset | undefined>>();
  return {
    find(path) {
      // Names that a build writes; nothing that could leave the folder.
      if (!/^\/(assets\/)?[\w-]+(\.[\w-]+)*$/.test(path) || !(extname(path) in TYPES)) {
        return Promise.resolve(undefined);
      }
      return getOrCreate(known, path, () => readAsset(join(folder, path)));
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
