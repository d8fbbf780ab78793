import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Plans repeat themselves: a tenth of the text is left. */
export const gzipJson = async (value: unknown): Promise<Uint8Array> =>
  promisify(gzip)(JSON.stringify(value));

/** @throws when the bytes are no gzip, or what is inside is no JSON */
export async function gunzipJson(bytes: Uint8Array): Promise<unknown> {
  const text = await promisify(gunzip)(bytes);
  return JSON.parse(text.toString('utf8'));
}
