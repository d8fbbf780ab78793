import fc from 'fast-check';
import * as z from 'zod';
import { REASONS } from '../../../shared/model/explanations/reasons.ts';

/** Chooses a number below the given one. */
type ChooseBelow = (limit: number) => number;

/**
 * Generates a value of a schema. All optional fields are present, all lists have one entry, and each
 * string, also the keys of records, comes from `createString` with its path.
 */
export function createValue(
  schema: unknown,
  createString: (path: string) => string,
  below: ChooseBelow,
  path = '',
): unknown {
  const create = (inner: unknown, at = ''): unknown => createValue(inner, createString, below, `${path}${at}`);
  const choose = (options: readonly unknown[]): unknown => options[below(options.length)];
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape);
    return Object.fromEntries(fields.map(([field, inner]) => [field, create(inner, `.${field}`)]));
  }
  if (schema instanceof z.ZodRecord) return { [createString(`${path}{}`)]: create(schema.valueType, '{}') };
  if (schema instanceof z.ZodArray) return [create(schema.element, '[]')];
  if (schema instanceof z.ZodTuple) return schema.def.items.map((inner) => create(inner, '[]'));
  if (schema instanceof z.ZodUnion) return create(choose(schema.options));
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault) return create(schema.unwrap());
  if (schema instanceof z.ZodEnum) return choose(schema.options);
  if (schema instanceof z.ZodLiteral) return choose([...schema.values]);
  if (schema instanceof z.ZodNumber) return 1 + below(1_000);
  if (schema instanceof z.ZodBoolean) return below(2) === 0;
  if (schema instanceof z.ZodString || schema instanceof z.ZodUnknown) return createString(path);
  // The code of a reason is the only custom schema.
  if (schema instanceof z.ZodCustom) return choose(Object.keys(REASONS));
  throw new Error(`no value for the schema at ${path}`);
}

/** Numbers for `createValue`. */
export const anyChoice: fc.Arbitrary<ChooseBelow> = fc
  .infiniteStream(fc.nat(1_000_000))
  .map((stream) => (limit: number) => (stream.next().value ?? 0) % limit);
