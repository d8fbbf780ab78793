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
  return extname(file) === '.woff2' ? { type, body } : { type, body, gzipped: await compress(body) };
}

/** The page's HTML frame; the script draws the content. */
export const pageHtml = ({ token, nonce }: { token: string; nonce: string }): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="mortise-token" content="${token}">
<meta property="csp-nonce" nonce="${nonce}">
<title>Mortise</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<div id="root"></div>
<noscript>Mortise draws this page with JavaScript, which is switched off.</noscript>
</body>
</html>
`;

/** A mortise is the hole that holds a tenon. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#171c26" d="M1 1h14v14H1z"/><path fill="#fff" d="M3 8h4V5h2v3h4v5H3z"/><path fill="#2a5bd0" d="M6 1h4v6H6z"/></svg>`;
