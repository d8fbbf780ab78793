import type { Rule, SchemaNode } from '../schema/schema.ts';

/** A field of an object, as its reference page lists it. */
export interface ReferenceField {
  /** `template.spec.requirements[].key`, below spec or status. */
  readonly path: string;
  readonly node: SchemaNode;
  readonly isRequired: boolean;
}

export interface ReferenceRule {
  readonly path: string;
  readonly rule: Rule;
}

/** All fields below `node`, each before those that it holds. */
export function listReferenceFields(node: SchemaNode, at = ''): readonly ReferenceField[] {
  const required = new Set(node.required);
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
      const path = at === '' ? name : `${at}.${name}`;
      return [
        { path, node: field, isRequired: required.has(name) },
        ...listReferenceFields(field, path),
      ];
    }),
    ...(node.items ? listReferenceFields(node.items, `${at}[]`) : []),
    ...(node.values ? listReferenceFields(node.values, `${at}.*`) : []),
  ];
}

/** All rules in CEL at `node` and below. */
export const listReferenceRules = (node: SchemaNode, at = ''): readonly ReferenceRule[] => [
  ...(node.rules ?? []).map((rule) => ({ path: at, rule })),
  ...Object.entries(node.properties ?? {}).flatMap(([name, field]) =>
    listReferenceRules(field, at === '' ? name : `${at}.${name}`),
  ),
  ...(node.items ? listReferenceRules(node.items, `${at}[]`) : []),
  ...(node.values ? listReferenceRules(node.values, `${at}.*`) : []),
];

/** `list of string`, `map of quantity`. */
export function formatType({
  type,
  intOrString,
  items,
  values,
  format,
  isOpen,
}: SchemaNode): string {
  if (intOrString) return 'quantity';
  if (items) return `list of ${formatType(items)}`;
  if (values) return `map of ${formatType(values)}`;
  if (isOpen) return 'map of anything';
  if (type === 'string' && format === 'date-time') return 'time';
  return type ?? 'anything';
}

/** What a value must be beside its type, in words. */
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

function rangeText(unit: string, least?: number, most?: number): readonly string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}
