import * as z from 'zod';

/** Written JSON that faults and patches change. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value);

export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const asList = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

/** Reads a member of a member: `getIn(pool, 'spec', 'template')`. */
export const getIn = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((one, key) => (isObject(one) ? one[key] : undefined), value);

/** @see RFC 7386, as `kubectl patch --type merge` */
function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: Record<string, Json> = { ...asObject(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

export const mergeObject = (target: JsonObject, patch: JsonObject): JsonObject => asObject(mergePatch(target, patch));

export const jsonSchema: z.ZodType<Json> = z.json();
export const operationsSchema = z.array(
  z.object({
    op: z.enum(['test', 'add', 'replace', 'remove', 'move']),
    path: z.string(),
    from: z.string().optional(),
    value: jsonSchema.optional(),
  }),
);
type Operation = z.output<typeof operationsSchema>[number];

/**
 * @see RFC 6902, as `kubectl patch --type json`
 * @throws Error - a test does not hold, or a path does not exist
 */
export const jsonPatch = (target: Json, operations: readonly Operation[]): Json =>
  operations.reduce(applyOperation, target);

const readPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

const read = (target: Json | undefined, pointer: string): Json | undefined =>
  readPointer(pointer).reduce<Json | undefined>(
    (one, key) => (isList(one) ? one[Number(key)] : asObject(one)[key]),
    target,
  );

function applyOperation(target: Json, { op, path, from = '', value = null }: Operation): Json {
  const keys = readPointer(path);
  if (op === 'move') {
    const without = applyOperation(target, { op: 'remove', path: from });
    return applyOperation(without, { op: 'add', path, value: read(target, from) ?? null });
  }
  return changeAt(target, keys, (present, key, parent) => {
    const isMember = present !== undefined;
    if (op === 'test' && JSON.stringify(present) !== JSON.stringify(value)) throw new Error(`test of ${path} fails`);
    if (op === 'test') return parent;
    if (op !== 'add' && !isMember) throw new Error(`${path} does not exist`);
    if (isList(parent)) {
      const index = key === '-' ? parent.length : Number(key);
      return op === 'add'
        ? parent.toSpliced(index, 0, value)
        : op === 'remove'
          ? parent.toSpliced(index, 1)
          : parent.with(index, value);
    }
    const { [key]: _, ...others } = asObject(parent);
    return op === 'remove' ? others : { ...others, [key]: value };
  });
}

/** Changes the object or list that holds the last key. */
function changeAt(
  target: Json | undefined,
  [key = '', ...rest]: readonly string[],
  change: (present: Json | undefined, key: string, parent: Json) => Json,
): Json {
  if (target === undefined || target === null || typeof target !== 'object') throw new Error(`no member ${key}`);
  const present = isList(target) ? target[Number(key)] : asObject(target)[key];
  if (rest.length === 0) return change(present, key, target);
  const changed = changeAt(present, rest, change);
  return isList(target) ? target.with(Number(key), changed) : { ...asObject(target), [key]: changed };
}
