import type { FieldPath } from '../finding.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';
import { type Objection, unknownFieldObjection } from './wrong-values.ts';

/**
 * Lists fields that the schema does not have. The API server would drop them; kubectl refuses them.
 */
export function listUnknownFields(node: SchemaNode, value: unknown, path: FieldPath = []): readonly Objection[] {
  const { items, values, properties } = node;
  if (Array.isArray(value)) {
    return items ? value.flatMap((item, index) => listUnknownFields(items, item, [...path, index])) : [];
  }
  if (!isRecord(value) || node.isOpen) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (values) return listUnknownFields(values, item, [...path, key]);
    const field = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (field) return listUnknownFields(field, item, [...path, key]);
    return properties ? [unknownFieldObjection([...path, key], node)] : [];
  });
}
