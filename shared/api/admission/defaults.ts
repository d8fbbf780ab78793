import { isRecord, type SchemaNode } from '../schema/schema.ts';

/**
 * Returns what the API server stores of `value`: without null and unknown fields, with defaults for
 * absent ones. Values of the wrong type stay, so that the checks refuse them.
 */
export function withDefaults(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = node;
    return items ? value.map((item) => withDefaults(items, item)) : value;
  }
  if (!isRecord(value)) return value;
  if (node.isOpen) return withoutNulls(value);
  if (node.values) return valuesWithDefaults(node.values, value);
  return node.properties ? fieldsWithDefaults(node.properties, value) : value;
}

const withoutNulls = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));

const valuesWithDefaults = (values: SchemaNode, value: object): object =>
  Object.fromEntries(Object.entries(withoutNulls(value)).map(([key, item]) => [key, withDefaults(values, item)]));

function fieldsWithDefaults(
  properties: Readonly<Record<string, SchemaNode>>,
  value: Readonly<Record<string, unknown>>,
): object {
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const written = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    const kept = written === undefined ? field.default : written;
    return kept === undefined ? [] : [[name, withDefaults(field, kept)] as const];
  });
  return Object.fromEntries(fields);
}
