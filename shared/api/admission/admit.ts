import { type FieldPath, formatPath } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { isRecord, type Rule, type SchemaNode } from '../schema/schema.ts';
import { holds, toCelValue } from './cel.ts';
import { withDefaults } from './defaults.ts';
import { listMetadataObjections, METADATA, type Metadata } from './metadata.ts';
import { matchesLikeRe2 } from './re2.ts';
import { listStructuralObjections } from './structure.ts';
import { listUnknownFields } from './unknown-fields.ts';
import { describeField, isBlocking, type Objection } from './wrong-values.ts';

type KubeObject = Readonly<Record<string, unknown>>;

export type Admission =
  /** The accepted `object` is what the API server stores: with defaults, without the status. */
  | { readonly outcome: 'accepted'; readonly object: KubeObject }
  | { readonly outcome: 'refused'; readonly objections: readonly Objection[] };

/**
 * Decides like an API server that has our CRDs and validates fields strictly, as kubectl requests.
 *
 * @param written - an object of `kind`, read from YAML or JSON
 * @param stored - the object that `written` replaces; `undefined` for a creation
 */
export function admit(kind: CustomKind, written: unknown, stored?: KubeObject): Admission {
  const schema = writtenSchemaOf(kind);
  const object = withDefaults(schema, written);
  const structural = listStructuralObjections(schema, object, matchesLikeRe2);
  const broken = structural.some(isBlocking) ? [] : rulesBroken(kind, object, stored);
  // If the type of a value is wrong, the rules that it also breaks are not reported.
  const misspelt = new Set(structural.map(({ path }) => formatPath(path)));
  const objections = [
    ...listUnknownFields(schema, written),
    ...structural,
    ...broken.filter(({ path }) => !misspelt.has(formatPath(path))),
  ];
  if (objections.length > 0 || !isRecord(object)) return { outcome: 'refused', objections };
  const { status: _, ...kept } = object;
  return { outcome: 'accepted', object: kept };
}

function rulesBroken(kind: CustomKind, object: unknown, stored: KubeObject | undefined): readonly Objection[] {
  if (!isRecord(object)) return [];
  const { metadata, spec } = object;
  const change = { value: spec, old: stored?.spec };
  return [
    // The types are right here, because rules are evaluated only after the structural checks.
    ...listMetadataObjections(metadata as Metadata),
    ...(spec === undefined ? [] : listRuleObjections(kind.spec, change, ['spec'])),
  ];
}

/** The schema of a manifest. The status is dropped, so only its unknown fields are reported. */
const writtenSchemaOf = ({ spec, status, isSpecOptional }: CustomKind): SchemaNode => ({
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: METADATA,
    spec,
    status: unjudged(status),
  },
  required: ['metadata', ...(isSpecOptional ? [] : ['spec'])],
});

/** Returns the same fields with values of any type. */
const unjudged = ({ properties, items, values, isOpen }: SchemaNode): SchemaNode => ({
  ...(properties && {
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, unjudged(field)])),
  }),
  ...(items && { items: unjudged(items) }),
  ...(values && { values: unjudged(values) }),
  ...(isOpen && { isOpen }),
});

interface Change {
  readonly value: unknown;
  /** The stored value at the same place; `undefined` if there is none, or for a creation. */
  readonly old?: unknown;
}

/** Lists the CEL rules that a value of the right type, or any value below it, breaks. */
function listRuleObjections(node: SchemaNode, { value, old }: Change, path: FieldPath = []): readonly Objection[] {
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
