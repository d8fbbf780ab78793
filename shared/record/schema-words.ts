import * as z from 'zod';

/**
 * Lists the words that schemas themselves contain: names of fields, members of enums and literals. Keys of
 * records and the values of other strings are data.
 */
export function listSchemaWords(schemas: readonly z.ZodType[]): ReadonlySet<string> {
  const words = new Set<string>();
  const visited = new Set<unknown>();
  const waiting: unknown[] = [...schemas];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (visited.has(schema)) continue;
    visited.add(schema);
    for (const word of listOwnWords(schema)) words.add(`${word}`);
    waiting.push(...listInnerSchemas(schema));
  }
  return words;
}

function listOwnWords(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodEnum) return schema.options;
  return schema instanceof z.ZodLiteral ? [...schema.values] : [];
}

function listInnerSchemas(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodTuple) return schema.def.items;
  if (schema instanceof z.ZodUnion) return schema.options;
  return schema instanceof z.ZodExactOptional ? [schema.unwrap()] : [];
}
