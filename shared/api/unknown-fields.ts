import * as z from 'zod';
import { type FieldPath, type Finding, named } from './finding.ts';
import { nearestWord } from './nearest-word.ts';

/**
 * Fields of `value` that `schema` does not name: a misspelt field would be dropped in silence.
 * Beneath a field of any content (`z.unknown()`, `z.looseObject()`) nothing is unknown.
 */
export function unknownFields(
  schema: z.core.$ZodType,
  value: unknown,
  path: FieldPath = [],
): readonly Finding[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = unwrap(schema);

  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownFields(inner.element, item, [...path, index]));
  }
  if (inner instanceof z.ZodRecord) {
    return Object.entries(value).flatMap(([key, item]) =>
      unknownFields(inner.valueType, item, [...path, key]),
    );
  }
  if (inner instanceof z.ZodObject) return unknownFieldsOfObject(inner, value, path);
  return [];
}

function unknownFieldsOfObject(
  { shape, def }: z.ZodObject<Readonly<Record<string, z.core.$ZodType>>>,
  value: object,
  path: FieldPath,
): readonly Finding[] {
  const isOpen = def.catchall !== undefined;
  return Object.entries(value).flatMap(([key, item]) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (field) return unknownFields(field, item, [...path, key]);
    return isOpen ? [] : [unknownField(key, Object.keys(shape), path)];
  });
}

function unknownField(key: string, known: readonly string[], path: FieldPath): Finding {
  const meant = nearestWord(key, known);
  return {
    code: 'unknown-field',
    path: [...path, key],
    what: `no field ${named(key)}`,
    why: 'fields are strict, as kubectl asks of the API server',
    fix: meant ? `write ${meant}` : `take it out; allowed are ${known.join(', ')}`,
  };
}

/** The schema inside defaults, optionals and pipes. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
  ) {
    return unwrap(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}
