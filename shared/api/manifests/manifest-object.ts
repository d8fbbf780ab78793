import { type FieldPath, formatPath, type ManifestFinding, quotingFix } from '../finding.ts';
import type { ManifestProblem } from './cluster-manifests.ts';
import { findPlaceholder } from './placeholder-text.ts';
import type { YamlDocument } from './yaml-documents.ts';

/** One Kubernetes object and its place in a text. */
export interface ManifestObject {
  readonly file: string;
  readonly document: YamlDocument;
  /** The path in the document: below `items` for objects of a list. */
  readonly at: FieldPath;
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Unfolded {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ManifestProblem[];
}

/** Lists the objects of a document: the object itself, or the items of nested lists. */
export function unfold(
  file: string,
  document: YamlDocument,
  value: unknown = document.value,
  at: FieldPath = [],
  listed: ImpliedType = impliedType(file),
): Unfolded {
  const location = { file, document, at };
  if (!isRecord(value)) return refused(location, NO_OBJECT);

  const { items } = value;
  const { apiVersion, kind } = { ...listed, ...value };
  if (typeof kind !== 'string' || kind === '') return refused(location, describeChartFile(file) ?? missing('kind'));
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    return refused(location, describeChartFile(file) ?? missing('apiVersion'));
  }
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    return { objects: [{ ...location, apiVersion, kind, value }], problems: [] };
  }

  const type = itemTypeOf(kind, apiVersion);
  const inner = items.map((item: unknown, index) => unfold(file, document, item, [...at, 'items', index], type));
  return {
    objects: inner.flatMap(({ objects }) => objects),
    problems: inner.flatMap(({ problems }) => problems),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const baseName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

/** The type of an object that does not state it itself. */
interface ImpliedType {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/**
 * The items of a typed list, such as a NodePoolList, need not repeat what they are.
 *
 * @see k8s.io/apimachinery/pkg/apis/meta/v1/unstructured, decodeToList
 */
const itemTypeOf = (listKind: string, apiVersion: string): ImpliedType =>
  listKind === 'List' ? {} : { apiVersion, kind: listKind.slice(0, -'List'.length) };

/** Kustomize reads its file by name, so the file may lack both fields. */
const impliedType = (file: string): ImpliedType =>
  isKustomizationFile(file) ? { apiVersion: `${KUSTOMIZE_GROUP}/v1beta1`, kind: 'Kustomization' } : {};

export const isKustomizationFile = (file: string): boolean =>
  ['kustomization.yaml', 'kustomization.yml', 'Kustomization'].includes(baseName(file));

const KUSTOMIZE_GROUP = 'kustomize.config.k8s.io';

/** True for the file that kustomize reads; it is no object of a cluster. */
export const isKustomization = ({ apiVersion }: Pick<ManifestObject, 'apiVersion'>): boolean =>
  apiVersion.startsWith(`${KUSTOMIZE_GROUP}/`);

const describeChartFile = (file: string): ManifestFinding | undefined =>
  ['Chart.yaml', 'values.yaml'].includes(baseName(file))
    ? {
        code: 'rule-refused',
        path: [],
        what: 'no Kubernetes object',
        why: `${baseName(file)} belongs to a Helm chart`,
        fix: 'run `helm template` first, and name the file with its output',
      }
    : undefined;

const refused = (location: Location, finding: ManifestFinding): Unfolded => ({
  objects: [],
  problems: [problemAt(location, finding)],
});

const NO_OBJECT: ManifestFinding = {
  code: 'rule-refused',
  path: [],
  what: 'no Kubernetes object',
  why: 'a manifest is a map with apiVersion, kind and metadata',
  fix: 'take the document out, or mend its indentation',
};

const missing = (field: string): ManifestFinding => ({
  code: 'rule-refused',
  path: [field],
  what: `${field} is missing`,
  why: 'apiVersion and kind say what the object is',
  fix: `add ${field}`,
});

/**
 * Returns the fix for what the author wrote: a text that is still to be filled in, or the `1.10` whose
 * parsed number would be quoted as `1.1`.
 */
export function fixAt(
  { document, at }: Pick<Location, 'document' | 'at'>,
  { path, fix, isUnquoted }: ManifestFinding,
): string {
  const written = document.writtenAt([...at, ...path]);
  const placeholder = [written, path.at(-1)]
    .map((text) => findPlaceholder(`${text ?? ''}`))
    .find((one) => one !== undefined);
  if (placeholder) return placeholder.fix;
  return written !== undefined && isUnquoted ? quotingFix(written) : fix;
}

type Location = Pick<ManifestObject, 'file' | 'document' | 'at'>;

/** Adds line and column to a finding. */
export function problemAt(location: Location, { path, ...refusal }: ManifestFinding, object?: string): ManifestProblem {
  const { file, document, at } = location;
  // An unknown field is reported at its key, everything else at the value.
  const part = refusal.code === 'unknown-field' ? 'key' : 'value';
  const field = formatPath(path);
  const { code, what, rule = '', why } = refusal;
  return {
    code,
    what,
    // Users look rules up by their ids; findings of the schema have no id to show.
    why: /^[A-Z]+-\d/.test(rule) ? `${rule}: ${why}` : why,
    fix: fixAt(location, { path, ...refusal }),
    file,
    ...document.positionOf([...at, ...path], part),
    document: document.number,
    ...(object !== undefined && { object }),
    ...(field !== '' && { path: field }),
  };
}
