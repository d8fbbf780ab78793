import { withDefaults } from '../admission/defaults.ts';
import { METADATA, type Metadata } from '../admission/metadata.ts';
import { matchesSafely } from '../admission/patterns.ts';
import { listStructuralObjections } from '../admission/structure.ts';
import { listUnknownFields } from '../admission/unknown-fields.ts';
import { formatPath, type ManifestFinding, type ParseResult } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';

/** An object as the API server stores it: valid, with defaults. */
export interface StoredObject<Spec> {
  readonly metadata: Metadata;
  readonly spec: Spec;
  /**
   * Paths in the spec that our schema does not have, such as `spec.hibernation`: a newer CRD stores them.
   * `undefined` if there are none.
   */
  readonly unknownFields?: readonly string[];
}

/**
 * Reads an object that an API server has stored, or a manifest that `admit` has accepted. CEL rules
 * are not evaluated again; unknown fields are left out and listed. Defaults are filled in, because an older
 * CRD may lack them.
 */
export function readStored<Spec>(kind: CustomKind<Spec>, raw: unknown): ParseResult<StoredObject<Spec>> {
  const schema = storedSchemaOf(kind);
  const object = withDefaults(schema, raw);
  const findings: readonly ManifestFinding[] = listStructuralObjections(schema, object, matchesSafely);
  if (findings.length > 0) return { outcome: 'refused', findings };
  // The value has just been validated against the schema from which the type `Spec` is inferred.
  const stored = object as StoredObject<Spec>;
  const unknownFields = listUnknownPaths(kind, raw);
  return {
    outcome: 'read',
    value: unknownFields.length > 0 ? { ...stored, unknownFields } : stored,
  };
}

const listUnknownPaths = ({ spec }: CustomKind, raw: unknown): readonly string[] =>
  isRecord(raw) ? listUnknownFields(spec, raw.spec, ['spec']).map(({ path }) => formatPath(path)) : [];

/** Reads only the spec, for callers that need no metadata or read it otherwise. */
export function readStoredSpec<Spec>({ spec }: CustomKind<Spec>, raw: unknown): ParseResult<Spec> {
  const object = withDefaults(spec, raw);
  const findings: readonly ManifestFinding[] = listStructuralObjections(spec, object, matchesSafely);
  if (findings.length > 0) return { outcome: 'refused', findings };
  // The value has just been validated against the schema, as above.
  return { outcome: 'read', value: object as Spec };
}

const storedSchemaOf = ({ spec }: CustomKind): SchemaNode => ({
  type: 'object',
  properties: { metadata: METADATA, spec },
  required: ['metadata', 'spec'],
});
