import fc from 'fast-check';
import { apiVersionOf, type CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { isRecord, type SchemaNode } from '../../../shared/api/schema/schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Generates values that satisfy types, enums, patterns and bounds of the schema, but not always its
 * rules.
 */
export function anyValueOf(node: SchemaNode): fc.Arbitrary<unknown> {
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.intOrString) return fc.oneof(anyNumber(node), anyText(node));
  if (node.items) return anyList(node, node.items);
  if (node.values) return anyMap(node.values);
  if (node.properties) return anyFields(node, node.properties);
  if (node.type === 'boolean') return fc.boolean();
  if (node.type === 'integer') return anyNumber(node);
  return node.type === 'string' ? anyText(node) : fc.constant({ maxPods: 10 });
}

const anyNumber = ({ minimum = -2, maximum = minimum + 1_000 }: SchemaNode) =>
  fc.integer({ min: minimum, max: maximum });

function anyText({ pattern, format, maxLength = 40 }: SchemaNode): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constant('2026-01-31T12:00:00Z');
  if (pattern === undefined) return fc.string({ maxLength: Math.min(maxLength, 20) });
  return fc.stringMatching(new RegExp(pattern), { size: '-1' }).filter(isWithin(maxLength));
}

const isWithin = (max: number) => (text: string) => text.length <= max;

const anyList = ({ minItems = 0, listType }: SchemaNode, items: SchemaNode) =>
  listType === 'set'
    ? fc.uniqueArray(anyValueOf(items), { maxLength: 3 })
    : fc.array(anyValueOf(items), { minLength: minItems, maxLength: minItems + 2 });

const WORDS = ['team', 'example.com/tier', 'karpenter.sh/capacity-type', 'cpu', 'nodes', 'Name'];

const anyMap = (values: SchemaNode) =>
  fc.dictionary(fc.constantFrom(...WORDS), anyValueOf(values), {
    maxKeys: 3,
    noNullPrototype: true,
  });

const anyFields = (
  { required = [] }: SchemaNode,
  properties: Readonly<Record<string, SchemaNode>>,
): fc.Arbitrary<unknown> => {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, anyValueOf(field)]));
  return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
};

/** Generates an object of the kind in which every field has a value that its schema allows. */
export const anyObjectOf = (kind: CustomKind): fc.Arbitrary<Fields> =>
  anyValueOf(kind.spec).map((spec) => objectOf(kind, spec));

const objectOf = (kind: CustomKind, spec: unknown): Fields => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name: 'any', ...(kind.scope === 'Namespaced' ? { namespace: 'default' } : {}) },
  spec,
});

/** Generates `sound` with a few fields of its spec replaced by values that the schema allows. */
export function anyVariantOf(kind: CustomKind, sound: { readonly spec: unknown }): fc.Arbitrary<Fields> {
  const anyChange = fc.oneof(
    ...fieldsBelow(kind.spec).map(({ path, node }) => anyValueOf(node).map((value): Change => ({ path, value }))),
  );
  return fc
    .array(anyChange, { minLength: 1, maxLength: 3 })
    .map((changes) => objectOf(kind, changes.reduce<unknown>(withChange, sound.spec)));
}

interface Location {
  readonly path: readonly string[];
  readonly node: SchemaNode;
}

/** Lists the fields of nested maps, without those of list items. */
const fieldsBelow = (node: SchemaNode, at: readonly string[] = []): readonly Location[] =>
  Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const path = [...at, name];
    return [{ path, node: field }, ...fieldsBelow(field, path)];
  });

interface Change {
  readonly path: readonly string[];
  readonly value: unknown;
}

function withChange(value: unknown, { path, value: by }: Change): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  const fields = isRecord(value) ? value : {};
  return { ...fields, [first]: withChange(fields[first], { path: rest, value: by }) };
}
