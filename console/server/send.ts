import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExportedFile } from '../source.ts';
import type { Asset } from './assets.ts';
import { COMMON_HEADERS } from './guard.ts';

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...COMMON_HEADERS, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}

export function sendJson(response: ServerResponse, status: number, data: unknown): void {
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(data));
}

export function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const { type, body, gzipped } = asset;
  const accepted = String(request.headers['accept-encoding'] ?? '').includes('gzip');
  const compressed = accepted ? gzipped : undefined;
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-type': type,
    'cache-control': 'no-cache',
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(compressed ?? body);
}

/** Sends a file that the browser saves. */
export function sendFile(response: ServerResponse, { name, bytes }: ExportedFile): void {
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  });
  response.end(bytes);
}
