import { type FieldPath, formatPath, type ManifestFinding } from '../finding.ts';
import type { ManifestProblem } from './cluster-manifests.ts';
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
): Unfolded {
  const location = { file, document, at };
  if (!isRecord(value)) return refused(location, NO_OBJECT);

  const { items } = value;
  const { apiVersion, kind } = { ...(at.length === 0 ? impliedType(file) : {}), ...value };
  if (typeof kind !== 'string' || kind === '')
    return refused(location, describeChartFile(file) ?? missing('kind'));
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    return refused(location, describeChartFile(file) ?? missing('apiVersion'));
  }
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    return { objects: [{ ...location, apiVersion, kind, value }], problems: [] };
  }

  const inner = items.map((item: unknown, index) =>
    unfold(file, document, item, [...at, 'items', index]),
  );
  return {
    objects: inner.flatMap(({ objects }) => objects),
    problems: inner.flatMap(({ problems }) => problems),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const baseName = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

/** Kustomize reads its file by name, so the file may lack both fields. */
const impliedType = (file: string): { readonly apiVersion?: string; readonly kind?: string } =>
  ['kustomization.yaml', 'kustomization.yml', 'Kustomization'].includes(baseName(file))
    ? { apiVersion: `${KUSTOMIZE_GROUP}/v1beta1`, kind: 'Kustomization' }
    : {};

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

type Location = Pick<ManifestObject, 'file' | 'document' | 'at'>;

/** Adds line and column to a finding. */
export function problemAt(
  location: Location,
  { path, ...refusal }: ManifestFinding,
  object?: string,
): ManifestProblem {
  const { file, document, at } = location;
  // An unknown field is reported at its key, everything else at the value.
  const part = refusal.code === 'unknown-field' ? 'key' : 'value';
  const field = formatPath(path);
  const { code, what, rule = '', why, fix } = refusal;
  return {
    code,
    what,
    // Users look rules up by their ids; findings of the schema have no id to show.
    why: /^[A-Z]+-\d/.test(rule) ? `${rule}: ${why}` : why,
    fix,
    file,
    ...document.positionOf([...at, ...path], part),
    document: document.number,
    ...(object === undefined ? {} : { object }),
    ...(field === '' ? {} : { path: field }),
  };
}
