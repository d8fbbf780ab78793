import type { Finding, Reading } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { withDefaults } from './defaults.ts';
import { METADATA, type Metadata } from './metadata.ts';
import { type Matches, structuralObjections } from './structure.ts';

/** An object as the API server keeps it: of the right shape, defaults written out. */
export interface StoredObject<Spec> {
  readonly metadata: Metadata;
  readonly spec: Spec;
}

/**
 * Reads what an API server has stored, or a manifest that `admit` has let through. Rules in CEL are
 * not judged again, and what is unknown is left alone; defaults are filled in, for an older CRD may
 * not have them.
 */
export function readStored<Spec>(
  kind: CustomKind<Spec>,
  raw: unknown,
): Reading<StoredObject<Spec>> {
  const schema = storedSchemaOf(kind);
  const object = withDefaults(schema, raw);
  const findings: readonly Finding[] = structuralObjections(schema, object, matchesAsFarAsSafe);
  if (findings.length > 0) return { outcome: 'refused', findings };
  // The schema was just found to hold, and the type `Spec` was made from it.
  return { outcome: 'read', value: object as StoredObject<Spec> };
}

const storedSchemaOf = ({ spec }: CustomKind): SchemaNode => ({
  type: 'object',
  properties: { metadata: METADATA, spec },
  required: ['metadata', 'spec'],
});

const LONGEST_JUDGED = 1_000;
const regularExpressions = new Map<string, RegExp>();

/**
 * The API server has judged every pattern, in time that grows with the text alone. JavaScript could
 * take hours over five times `.+`, so that one is believed, and so are texts of unlikely length.
 */
const matchesAsFarAsSafe: Matches = (pattern, text) => {
  if (pattern.includes('(.+)') || text.length > LONGEST_JUDGED) return true;
  const known = regularExpressions.get(pattern) ?? new RegExp(pattern);
  regularExpressions.set(pattern, known);
  return known.test(text);
};
