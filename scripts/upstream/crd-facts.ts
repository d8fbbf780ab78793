import { z } from 'zod';
import type { Fact } from './fact.ts';

interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly items?: Schema | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    properties: z.record(z.string(), schema).optional(),
    additionalProperties: z.union([z.boolean(), schema]).optional(),
    items: schema.optional(),
  }),
);

const crd = z.looseObject({
  spec: z.looseObject({
    names: z.looseObject({ kind: z.string() }),
    versions: z.array(z.looseObject({ schema: z.looseObject({ openAPIV3Schema: schema }) })),
  }),
});

/** Keywords that say nothing of the field itself: its children, and text for readers. */
const NESTED = new Set(['properties', 'additionalProperties', 'items', 'description']);

/** Lists each field of a CRD with each of its constraints, so that a difference names one of them. */
export function listCrdFacts(object: unknown): readonly Fact[] {
  const { spec } = crd.parse(object);
  return spec.versions.flatMap((version) => listFields(spec.names.kind, version.schema.openAPIV3Schema));
}

function listFields(path: string, field: Schema): readonly Fact[] {
  const own = Object.entries(field).filter(([keyword]) => !NESTED.has(keyword));
  const { properties = {}, additionalProperties, items } = field;
  return [
    ...own.map(
      ([keyword, value]): Fact => ({
        kind: 'field',
        name: `${path} ${keyword.replace('x-kubernetes-validations', 'rules')}`,
        value: toText(value),
      }),
    ),
    ...Object.entries(properties).flatMap(([name, child]) => listFields(`${path}.${name}`, child)),
    ...(items ? listFields(`${path}[]`, items) : []),
    ...(typeof additionalProperties === 'object' ? listFields(`${path}{}`, additionalProperties) : []),
  ];
}

const isRule = (value: unknown): value is { readonly rule: string } =>
  typeof value === 'object' && value !== null && 'rule' in value;

/** Order and messages do not count: enums, required names and rules are sets. */
function toText(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value
    .map((part: unknown) => JSON.stringify(isRule(part) ? part.rule : part))
    .toSorted()
    .join(', ');
}
