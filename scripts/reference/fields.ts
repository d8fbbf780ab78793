import type { Rule, SchemaNode } from '../../shared/api/schema/schema.ts';

/** A field of an object, as the reference page lists it. */
export interface ReferenceField {
  /** The path below spec or status: `template.spec.requirements[].key`. */
  readonly path: string;
  readonly node: SchemaNode;
  readonly isRequired: boolean;
}

export interface ReferenceRule {
  readonly path: string;
  readonly rule: Rule;
}

/** Lists all fields below `node`, parents before children. */
export function listReferenceFields(node: SchemaNode, at = ''): readonly ReferenceField[] {
  const required = new Set(node.required);
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
      const path = at === '' ? name : `${at}.${name}`;
      return [{ path, node: field, isRequired: required.has(name) }, ...listReferenceFields(field, path)];
    }),
    ...(node.items ? listReferenceFields(node.items, `${at}[]`) : []),
    ...(node.values ? listReferenceFields(node.values, `${at}.*`) : []),
  ];
}

/** Lists all CEL rules at `node` and below. */
export const listReferenceRules = (node: SchemaNode, at = ''): readonly ReferenceRule[] => [
  ...(node.rules ?? []).map((rule) => ({ path: at, rule })),
  ...Object.entries(node.properties ?? {}).flatMap(([name, field]) =>
    listReferenceRules(field, at === '' ? name : `${at}.${name}`),
  ),
  ...(node.items ? listReferenceRules(node.items, `${at}[]`) : []),
  ...(node.values ? listReferenceRules(node.values, `${at}.*`) : []),
];

/** Formats the type: `list of string`, `map of quantity`. */
export function formatType({ type, intOrString, items, values, format, isOpen }: SchemaNode): string {
  if (intOrString) return 'quantity';
  if (items) return `list of ${formatType(items)}`;
  if (values) return `map of ${formatType(values)}`;
  if (isOpen) return 'map of anything';
  if (type === 'string' && format === 'date-time') return 'time';
  return type ?? 'anything';
}

/** Formats the constraints on a value besides its type. */
export function formatConstraints(node: SchemaNode): readonly string[] {
  const { minimum, maximum, minItems, maxItems, maxProperties, maxLength, wording } = node;
  return [
    ...(node.enum ? [node.enum.map((value) => `\`${value}\``).join(', ')] : []),
    ...rangeText('', minimum, maximum),
    ...rangeText(' items', minItems, maxItems),
    ...rangeText(' entries', undefined, maxProperties),
    ...rangeText(' characters', undefined, maxLength),
    ...(node.listType === 'set' ? ['no item twice'] : []),
    ...(wording ? [wording.grammar] : []),
    ...(node.items && !node.items.properties ? formatConstraints(node.items) : []),
    ...(node.values && !node.values.properties ? formatConstraints(node.values) : []),
  ];
}

function rangeText(unit: string, min?: number, max?: number): readonly string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`];
  if (min !== undefined) return [`at least ${min}${unit}`];
  return max === undefined ? [] : [`at most ${max}${unit}`];
}
