import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip } from 'node:zlib';
import * as z from 'zod';

/** Plans repeat themselves: a tenth of the text is left. */
export const gzipJson = async (value: unknown): Promise<Uint8Array> =>
  promisify(gzip)(JSON.stringify(value));

/** An attribute of a row that `gzipJson` wrote. At once, for it is kilobytes, and rows are many. */
export const gzippedJson = <T>(schema: z.ZodType<T>) =>
  z
    .instanceof(Uint8Array)
    .transform((bytes): unknown => JSON.parse(gunzipSync(bytes).toString('utf8')))
    .pipe(schema);

/** @throws when the bytes are no gzip, or what is inside is no JSON */
export async function gunzipJson(bytes: Uint8Array): Promise<unknown> {
  const text = await promisify(gunzip)(bytes);
  return JSON.parse(text.toString('utf8'));
}
