import * as z from 'zod';
import { type Answer, conflict, notFound, ok } from './answers.ts';
import { keyOf, type ObjectTable } from './object-table.ts';
import type { RawObject } from './raw-object.ts';

const optionsSchema = z
  .object({
    gracePeriodSeconds: z.number().optional(),
    preconditions: z.object({ uid: z.string() }).optional(),
  })
  .optional();

/** @see k8s.io/apiserver registry Store.Delete, with graceful deletion of pods that have a node */
export function deleteObject(table: ObjectTable, collection: string, key: string, body: unknown): Answer {
  const object = table.find(collection, key);
  if (!object) return notFound(key);
  const options = optionsSchema.parse(body);
  const uid = options?.preconditions?.uid;
  if (uid !== undefined && uid !== object.metadata.uid) return conflict(key);
  return ok(markDeleted(table, collection, object, options?.gracePeriodSeconds));
}

export function markDeleted(
  table: ObjectTable,
  collection: string,
  object: RawObject,
  grace: number | undefined,
): RawObject {
  const written = object.spec?.terminationGracePeriodSeconds;
  const seconds = grace ?? (typeof written === 'number' ? written : 0);
  const isRunning = object.kind === 'Pod' && object.spec?.nodeName !== undefined;
  const isHeld = (object.metadata.finalizers ?? []).length > 0;
  if (!isHeld && !(isRunning && seconds > 0)) {
    table.remove(collection, keyOf(object));
    return object;
  }
  const earlier = object.metadata.deletionTimestamp;
  const requested = secondsFromNow(seconds);
  const deletionTimestamp = earlier !== undefined && earlier < requested ? earlier : requested;
  return table.put(collection, { ...object, metadata: { ...object.metadata, deletionTimestamp } });
}

const secondsFromNow = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z');
