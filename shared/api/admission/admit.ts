import { formatPath } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';
import { withDefaults } from './defaults.ts';
import { listMetadataObjections, METADATA, type Metadata } from './metadata.ts';
import { matchesRe2 } from './re2.ts';
import { listRuleObjections } from './rules.ts';
import { listStructuralObjections } from './structure.ts';
import { listUnknownFields } from './unknown-fields.ts';
import { isBlocking, type Objection } from './wrong-values.ts';

type KubeObject = Readonly<Record<string, unknown>>;

export type Admission =
  /** `object` is what is stored: defaults written out, its status dropped. */
  | { readonly outcome: 'accepted'; readonly object: KubeObject }
  | { readonly outcome: 'refused'; readonly objections: readonly Objection[] };

/**
 * The verdict of an API server that has our CRDs and is asked for strict fields, as kubectl asks.
 *
 * @param written - an object that says it is of `kind`, read from YAML or JSON
 * @param stored - what `written` replaces; absent: it is created
 */
export function admit(kind: CustomKind, written: unknown, stored?: KubeObject): Admission {
  const schema = writtenSchemaOf(kind);
  const object = withDefaults(schema, written);
  const structural = listStructuralObjections(schema, object, matchesRe2);
  const broken = structural.some(isBlocking) ? [] : rulesBroken(kind, object, stored);
  // A text of another form is told of once, not by every rule that it breaks as well.
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

function rulesBroken(
  kind: CustomKind,
  object: unknown,
  stored: KubeObject | undefined,
): readonly Objection[] {
  if (!isRecord(object)) return [];
  const { metadata, spec } = object;
  const change = { value: spec, old: stored?.spec };
  return [
    // Of the right shape, or nobody would ask for rules.
    ...listMetadataObjections(metadata as Metadata),
    ...(spec === undefined ? [] : listRuleObjections(kind.spec, change, ['spec'])),
  ];
}

/** What a manifest may hold; its status is dropped, so only unknown fields of it count. */
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

/** The same fields, of any value. */
const unjudged = ({ properties, items, values, isOpen }: SchemaNode): SchemaNode => ({
  ...(properties
    ? {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, field]) => [name, unjudged(field)]),
        ),
      }
    : {}),
  ...(items ? { items: unjudged(items) } : {}),
  ...(values ? { values: unjudged(values) } : {}),
  ...(isOpen ? { isOpen } : {}),
});
