import type { FieldPath } from '../finding.ts';
import { isRecord, type Rule, type SchemaNode } from '../schema/schema.ts';
import { holds, toCelValue } from './cel.ts';
import { describeField, type Objection } from './wrong-values.ts';

interface Change {
  readonly value: unknown;
  /** The stored value at the same place; `undefined` if there is none, or for a creation. */
  readonly old?: unknown;
}

/** Lists the CEL rules that a value of the right type, or any value below it, breaks. */
export function listRuleObjections(
  node: SchemaNode,
  { value, old }: Change,
  path: FieldPath = [],
): readonly Objection[] {
  return [
    ...(node.rules ?? [])
      .filter((rule) => breaks(rule, node, { value, old }))
      .flatMap((rule) => culprits(rule, node, value).map((at) => objectionOf(rule, value, [...path, ...at]))),
    ...children(node, value).flatMap(({ key, schema, item }) =>
      listRuleObjections(schema, { value: item, old: childOf(old, key) }, [...path, key]),
    ),
  ];
}

function breaks({ cel }: Rule, node: SchemaNode, { value, old }: Change): boolean {
  const self = toCelValue(node, value);
  if (!/\boldSelf\b/.test(cel)) return !holds(cel, { self });
  return old !== undefined && !holds(cel, { self, oldSelf: toCelValue(node, old) });
}

/** Lists the entries of a map that break the rule even alone; the whole map if there are none. */
function culprits(rule: Rule, node: SchemaNode, value: unknown): readonly FieldPath[] {
  if (!node.values || !isRecord(value)) return [[]];
  const guilty = Object.entries(value)
    .filter(([key, item]) => breaks(rule, node, { value: { [key]: item } }))
    .map(([key]) => [key]);
  return guilty.length > 0 ? guilty : [[]];
}

interface Child {
  readonly key: string | number;
  readonly schema: SchemaNode;
  readonly item: unknown;
}

function children({ items, values, properties }: SchemaNode, value: unknown): readonly Child[] {
  if (Array.isArray(value)) {
    return items ? value.map((item: unknown, key) => ({ key, schema: items, item })) : [];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const schema = values ?? (properties && Object.hasOwn(properties, key) ? properties[key] : undefined);
    return schema ? [{ key, schema, item }] : [];
  });
}

/** List items have no identity over time, so transition rules compare only fields. */
const childOf = (old: unknown, key: string | number): unknown =>
  isRecord(old) && Object.hasOwn(old, key) ? old[key] : undefined;

const objectionOf = (rule: Rule, value: unknown, path: FieldPath): Objection => {
  const { id, why, fix, at } = rule;
  const location = at ? [...path, at.slice(1)] : path;
  return {
    code: 'rule-refused',
    rule: id,
    cause: 'FieldValueInvalid',
    path: location,
    what: `${describeField(location)} is refused`,
    why,
    fix: rule.fixOf?.(value) ?? fix,
  };
};
