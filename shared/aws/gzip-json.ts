import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip } from 'node:zlib';
import * as z from 'zod';

/** A damaged or hostile value must not exhaust the memory of a function. */
const LIMIT = { maxOutputLength: 256 * 1024 * 1024 };

/** Plans are repetitive, so compression reduces them to a tenth. */
export const gzipJson = async (value: unknown): Promise<Uint8Array> =>
  gzipText(JSON.stringify(value));

/** Compresses outside of the main thread. */
export const gzipText = async (text: string): Promise<Uint8Array> => promisify(gzip)(text);

/**
 * The schema of an attribute that `gzipJson` wrote. Synchronous, because a value is a few kilobytes
 * and there are many rows.
 */
export const gzippedJson = <T>(schema: z.ZodType<T>) =>
  z
    .instanceof(Uint8Array)
    .transform((bytes): unknown => JSON.parse(gunzipSync(bytes, LIMIT).toString('utf8')))
    .pipe(schema);

/**
 * @throws Error - the bytes are not gzip, or do not contain JSON
 */
export async function gunzipJson(bytes: Uint8Array): Promise<unknown> {
  const text = await promisify(gunzip)(bytes, LIMIT);
  return JSON.parse(text.toString('utf8'));
}
