import { ownValue } from '../../model/own-value.ts';
import type { FieldPath } from '../finding.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';
import {
  duplicateObjection,
  instantObjection,
  missingObjection,
  notAmongObjection,
  type Objection,
  patternObjection,
  rangeObjection,
  wrongTypeObjection,
} from './wrong-values.ts';

/** True if a schema's pattern matches anywhere in the text. */
export type Matches = (pattern: string, text: string) => boolean;

/**
 * Lists what types, patterns and bounds of the schema refuse in a value that has its defaults.
 *
 * @param former - what to write in place of the field, if it is one of an earlier version
 */
export function listStructuralObjections(
  node: SchemaNode,
  value: unknown,
  matches: Matches,
  path: FieldPath = [],
  former?: string,
): readonly Objection[] {
  if (!hasType(node, value)) return [wrongTypeObjection(path, node, value, former)];
  if (typeof value === 'string') return textObjections(node, value, matches, path);
  if (typeof value === 'number') return boundObjections(node, value, path);
  if (Array.isArray(value)) return listObjections(node, value, matches, path);
  return isRecord(value) ? mapObjections(node, value, matches, path) : [];
}

function hasType({ type, intOrString }: SchemaNode, value: unknown): boolean {
  if (intOrString) return typeof value === 'string' || Number.isInteger(value);
  if (type === 'object') return isRecord(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === undefined || typeof value === type;
}

function textObjections(node: SchemaNode, text: string, matches: Matches, path: FieldPath): readonly Objection[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = node;
  const { length } = [...text];
  if (node.enum && !node.enum.includes(text)) return [notAmongObjection(path, node, text)];
  if (length > maxLength) return [rangeObjection(path, 'maxLength', maxLength, length)];
  return [
    ...(length < minLength ? [rangeObjection(path, 'minLength', minLength, length)] : []),
    ...(pattern !== undefined && !matches(pattern, text) ? [patternObjection(path, node, text)] : []),
    ...(format === 'date-time' && !isInstant(text) ? [instantObjection(path, text)] : []),
  ];
}

const MAX_INT32 = 2 ** 31 - 1;

function boundObjections(node: SchemaNode, number: number, path: FieldPath): readonly Objection[] {
  const { minimum, maximum = node.format === 'int32' ? MAX_INT32 : undefined } = node;
  if (minimum !== undefined && number < minimum) {
    return [rangeObjection(path, 'minimum', minimum, number)];
  }
  return maximum !== undefined && number > maximum ? [rangeObjection(path, 'maximum', maximum, number)] : [];
}

function listObjections(
  { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, listType }: SchemaNode,
  list: readonly unknown[],
  matches: Matches,
  path: FieldPath,
): readonly Objection[] {
  const { length } = list;
  return [
    ...(length < minItems ? [rangeObjection(path, 'minItems', minItems, length)] : []),
    ...(length > maxItems ? [rangeObjection(path, 'maxItems', maxItems, length)] : []),
    ...(listType === 'set' ? doubledItems(list, path) : []),
    ...(items ? list.flatMap((item, index) => listStructuralObjections(items, item, matches, [...path, index])) : []),
  ];
}

const doubledItems = (list: readonly unknown[], path: FieldPath): readonly Objection[] =>
  list.flatMap((item, index) =>
    list.indexOf(item) < index ? [duplicateObjection([...path, index], String(item))] : [],
  );

function mapObjections(
  node: SchemaNode,
  map: Readonly<Record<string, unknown>>,
  matches: Matches,
  path: FieldPath,
): readonly Objection[] {
  const { values, properties = {}, required = [], maxProperties = Number.POSITIVE_INFINITY } = node;
  const keys = Object.keys(map);
  const judged = (key: string): SchemaNode | undefined =>
    values ?? (Object.hasOwn(properties, key) ? properties[key] : undefined);
  return [
    ...(keys.length > maxProperties ? [rangeObjection(path, 'maxProperties', maxProperties, keys.length)] : []),
    ...required
      .filter((name) => !Object.hasOwn(map, name))
      .map((name) => missingObjection([...path, name], properties[name] ?? {})),
    ...keys.flatMap((key) => {
      const field = judged(key);
      const today = ownValue(node.former, key);
      return field ? listStructuralObjections(field, map[key], matches, [...path, key], today) : [];
    }),
  ];
}

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** True if the text is a time of RFC 3339 on an existing day of the calendar. */
function isInstant(text: string): boolean {
  const match = INSTANT.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1, 4).map(Number);
  return isDay(year ?? 0, month ?? 0, day ?? 0);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = (DAYS[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0);
  return day >= 1 && day <= days;
}
