import { withDefaults } from '../admission/defaults.ts';
import { METADATA, type Metadata } from '../admission/metadata.ts';
import { matchesSafely } from '../admission/patterns.ts';
import { listStructuralObjections } from '../admission/structure.ts';
import type { ManifestFinding, ParseResult } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import type { SchemaNode } from '../schema/schema.ts';

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
): ParseResult<StoredObject<Spec>> {
  const schema = storedSchemaOf(kind);
  const object = withDefaults(schema, raw);
  const findings: readonly ManifestFinding[] = listStructuralObjections(
    schema,
    object,
    matchesSafely,
  );
  if (findings.length > 0) return { outcome: 'refused', findings };
  // The schema was just found to hold, and the type `Spec` was made from it.
  return { outcome: 'read', value: object as StoredObject<Spec> };
}

/** The same of a spec alone: its metadata may be of no interest, or be read otherwise. */
export function readStoredSpec<Spec>({ spec }: CustomKind<Spec>, raw: unknown): ParseResult<Spec> {
  const object = withDefaults(spec, raw);
  const findings: readonly ManifestFinding[] = listStructuralObjections(
    spec,
    object,
    matchesSafely,
  );
  if (findings.length > 0) return { outcome: 'refused', findings };
  // As above.
  return { outcome: 'read', value: object as Spec };
}

const storedSchemaOf = ({ spec }: CustomKind): SchemaNode => ({
  type: 'object',
  properties: { metadata: METADATA, spec },
  required: ['metadata', 'spec'],
});
