import type { FieldPath } from '../finding.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import { findPlaceholder } from '../manifests/placeholder-text.ts';
import { createFault, type Fault } from '../runtime-validation/fault.ts';
import { isRecord } from '../schema/schema.ts';

/** The node runs it as a script, in which such texts are variables of the shell. */
const SCRIPT_FIELD = 'userData';

/** Finds keys and values that a program was meant to replace before the manifest is applied. */
export const findPlaceholders = ({ value }: Pick<ManifestObject, 'value'>): readonly Fault[] =>
  placeholdersIn(value, []).map(({ path, text, fix }) =>
    createFault('placeholder', path, `${text} is stored as it is: kubectl fills in no variables`, fix),
  );

interface Placeholder {
  readonly path: FieldPath;
  readonly text: string;
  readonly fix: string;
}

function placeholdersIn(value: unknown, path: FieldPath): readonly Placeholder[] {
  if (typeof value === 'string') return matchAt(value, path);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => placeholdersIn(item, [...path, index]));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === SCRIPT_FIELD ? [] : [...matchAt(key, [...path, key]), ...placeholdersIn(item, [...path, key])],
  );
}

function matchAt(text: string, path: FieldPath): readonly Placeholder[] {
  const placeholder = findPlaceholder(text);
  return placeholder ? [{ path, ...placeholder }] : [];
}
