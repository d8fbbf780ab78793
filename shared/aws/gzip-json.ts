import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import * as z from 'zod';

/** A damaged or hostile value must not exhaust the memory of a function. */
const LIMIT = { maxOutputLength: 256 * 1024 * 1024 };

/**
 * Compresses the content of a row. Plans are repetitive, so that a tenth remains. Synchronous, because
 * nothing else can be done until the row is written, and a function has one CPU.
 */
export const gzipJson = (value: unknown): Uint8Array => gzipSync(JSON.stringify(value));

/** Compresses a large text outside of the main thread. */
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

/** Recognises a gzip file by its first two bytes. */
export const isGzipped = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
