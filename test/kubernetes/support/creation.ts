import { type Answer, ok, refusal } from './answers.ts';
import { keyOf, type ObjectTable } from './object-table.ts';
import { rawObjectSchema } from './raw-object.ts';

/**
 * Completes a name for `generateName`.
 *
 * @see k8s.io/apiserver registry Store.Create
 */
export function createObject(table: ObjectTable, collection: string, body: unknown): Answer {
  const object = rawObjectSchema.parse(body);
  const key = keyOf(object);
  if (table.find(collection, key)) return refusal(409, 'AlreadyExists', `"${key}" already exists`);
  return ok(table.put(collection, object), 201);
}
