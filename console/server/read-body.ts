import type { IncomingMessage } from 'node:http';

type Body =
  | { readonly outcome: 'read'; readonly json: unknown }
  | { readonly outcome: 'too-large' }
  | { readonly outcome: 'malformed' };

export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) return { outcome: 'malformed' };
    size += chunk.length;
    if (size > maxBytes) return { outcome: 'too-large' };
    chunks.push(chunk);
  }
  try {
    const json: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return { outcome: 'read', json };
  } catch {
    return { outcome: 'malformed' };
  }
}
