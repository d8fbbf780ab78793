import { type Answer, conflict, notFound, ok, otherUid } from './answers.ts';
import { keyOf, type ObjectTable } from './object-table.ts';
import { mergePatch, type RawObject, rawObjectSchema } from './raw-object.ts';

export interface Patch {
  readonly collection: string;
  readonly key: string;
  readonly isStatus: boolean;
  readonly isApply: boolean;
  readonly body: unknown;
}

/** Merge patch and server-side apply. An apply does not remove fields that it leaves out. */
export function patchObject(table: ObjectTable, patch: Patch): Answer {
  const { collection, key, isStatus, isApply, body } = patch;
  const before = table.find(collection, key);
  if (!before && (!isApply || isStatus)) return notFound(key);

  const merged = unitedWith(before, isApply, rawObjectSchema.parse(mergePatch(before, body)));
  const given = rawObjectSchema.shape.metadata.partial().safeParse(metadataOf(body)).data;
  const observed = given?.resourceVersion;
  if (observed !== undefined && observed !== before?.metadata.resourceVersion) return conflict(key);

  const uid = before?.metadata.uid;
  if (given?.uid !== undefined && uid !== undefined && given.uid !== uid) return otherUid(key);

  // The object and its status are written separately.
  const after: RawObject = isStatus && before ? { ...before, status: merged.status } : withStatus(merged, before);
  if (isFreed(after)) {
    table.remove(collection, keyOf(after));
    return ok(after);
  }
  return ok(table.put(collection, after), before ? 200 : 201);
}

/** In an apply, finalizers are a set to which each manager adds. */
function unitedWith(before: RawObject | undefined, isApply: boolean, after: RawObject): RawObject {
  const had = before?.metadata.finalizers;
  if (!isApply || !had) return after;
  const finalizers = [...new Set([...had, ...(after.metadata.finalizers ?? [])])];
  return { ...after, metadata: { ...after.metadata, finalizers } };
}

const withStatus = ({ status: _, ...object }: RawObject, before?: RawObject): RawObject =>
  before?.status ? { ...object, status: before.status } : object;

const metadataOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;

const isFreed = ({ metadata }: RawObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
