import type { Json, Rule, SchemaNode } from './schema.ts';

/** Converts the schema to its form in a CustomResourceDefinition. */
export function toOpenApi(node: SchemaNode): { readonly [key: string]: Json } {
  const { properties, items, values, rules, intOrString, listType, listKeys } = node;
  return {
    ...plainParts(node),
    ...(intOrString && { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toOpenApi(field)])),
    }),
    ...(items && { items: toOpenApi(items) }),
    ...(values && { additionalProperties: toOpenApi(values) }),
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(listKeys && { 'x-kubernetes-list-map-keys': listKeys }),
    ...(node.isAtomic && { 'x-kubernetes-map-type': 'atomic' }),
    ...(node.isOpen && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(rules && { 'x-kubernetes-validations': rules.map(validationOf) }),
  };
}

/** Properties that have the same names in OpenAPI. */
const PLAIN = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
] as const satisfies readonly (keyof SchemaNode)[];

const plainParts = (node: SchemaNode): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    PLAIN.flatMap((name) => {
      const value = node[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

const validationOf = ({ id, cel, why, at }: Rule): Json => ({
  rule: cel,
  message: `${id}: ${why}`,
  ...(at && { fieldPath: at }),
});
