import { formatPath } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';
import { withDefaults } from './defaults.ts';
import { listMetadataObjections, METADATA, type Metadata } from './metadata.ts';
import { matchesLikeRe2 } from './re2.ts';
import { listRuleObjections } from './rules.ts';
import { listStructuralObjections } from './structure.ts';
import { listUnknownFields } from './unknown-fields.ts';
import { isBlocking, type Objection } from './wrong-values.ts';

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
