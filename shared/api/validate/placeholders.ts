import type { FieldPath } from '../finding.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import { createFault, type Fault } from '../runtime-validation/fault.ts';
import { isRecord } from '../schema/schema.ts';

/** `${CLUSTER_NAME}`, with or without a default, as in the shell and in `envsubst`. */
const PLACEHOLDER = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::?[-=?+][^}]*)?\}/;

/** The node runs it as a script, in which such texts are variables of the shell. */
const SCRIPT_FIELD = 'userData';

/** Finds keys and values that a program was meant to replace before the manifest is applied. */
export const findPlaceholders = ({ value }: Pick<ManifestObject, 'value'>): readonly Fault[] =>
  placeholdersIn(value, []).map(({ path, text }) =>
    createFault(
      'placeholder',
      path,
      `${text} is stored as it is: kubectl fills in no variables`,
      'fill it in first, for example with envsubst',
    ),
  );

interface Placeholder {
  readonly path: FieldPath;
  readonly text: string;
}

function placeholdersIn(value: unknown, path: FieldPath): readonly Placeholder[] {
  if (typeof value === 'string') return matchAt(value, path);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => placeholdersIn(item, [...path, index]));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === SCRIPT_FIELD
      ? []
      : [...matchAt(key, [...path, key]), ...placeholdersIn(item, [...path, key])],
  );
}

const matchAt = (text: string, path: FieldPath): readonly Placeholder[] =>
  [...(PLACEHOLDER.exec(text) ?? [])].map((match) => ({ path, text: match }));
