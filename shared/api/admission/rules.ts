import type { FieldPath } from '../finding.ts';
import { isRecord, type Rule, type SchemaNode } from '../schema/schema.ts';
import { holds, toCelValue } from './cel.ts';
import { describeField, type Objection } from './wrong-values.ts';

interface Change {
  readonly value: unknown;
  /** What is stored at the same place; absent: nothing, or a creation. */
  readonly old?: unknown;
}

/** The rules in CEL that a value of the right shape breaks, wherever below it they stand. */
export function listRuleObjections(
  node: SchemaNode,
  { value, old }: Change,
  path: FieldPath = [],
): readonly Objection[] {
  return [
    ...(node.rules ?? [])
      .filter((rule) => breaks(rule, node, { value, old }))
      .flatMap((rule) =>
        culprits(rule, node, value).map((at) => objectionOf(rule, [...path, ...at])),
      ),
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

/** The entries of a map that would break the rule if they were alone in it; else the whole. */
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
    const schema =
      values ?? (properties && Object.hasOwn(properties, key) ? properties[key] : undefined);
    return schema ? [{ key, schema, item }] : [];
  });
}

/** Items of a list have no identity over time: only fields are compared with what they were. */
const childOf = (old: unknown, key: string | number): unknown =>
  isRecord(old) && Object.hasOwn(old, key) ? old[key] : undefined;

const objectionOf = ({ id, why, fix, at }: Rule, path: FieldPath): Objection => {
  const place = at ? [...path, at.slice(1)] : path;
  return {
    code: 'rule-refused',
    rule: id,
    cause: 'FieldValueInvalid',
    path: place,
    what: `${describeField(place)} is refused`,
    why,
    fix,
  };
};
