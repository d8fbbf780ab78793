import { admit } from '../admission/admit.ts';
import { formatPath } from '../finding.ts';
import type { ManifestSource } from '../manifests/cluster-manifests.ts';
import { type ManifestObject, unfold } from '../manifests/manifest-object.ts';
import { readYaml } from '../manifests/yaml-documents.ts';
import { canonicalText } from '../static-hash.ts';
import { formatName } from '../validate/manifest-validation.ts';
import { findServedKind, isServed } from '../validate/served-kinds.ts';
import { type Converted, type ConvertOptions, convertObject } from './convert-object.ts';
import { type Distribution, distributeKubelets } from './distribute-kubelets.ts';
import { type ConvertMessage, isError, type ReportMessage } from './message.ts';
import { type Fields, toFields, toText } from './written.ts';

/** The converted v1 objects, ready for kubectl, with messages about the conversion. */
export interface ManifestConversion {
  readonly objects: readonly ConvertedObject[];
  readonly messages: readonly ConvertMessage[];
  /** True if an object is missing from the result. */
  readonly isComplete: boolean;
}

export interface ConvertedObject {
  readonly object: Fields;
  /** The source object, whose comments are carried over. */
  readonly source: ManifestObject;
  /** True if the object is printed as its source wrote it. */
  readonly isUnchanged: boolean;
}

/** Converts every object of the texts, in their order. It opens no files. */
export function convertManifests(sources: readonly ManifestSource[], options: ConvertOptions): ManifestConversion {
  const { objects, messages: unreadable } = readAll(sources);
  const entries = objects.map((source) => convertEntry(source, options));
  const sound = entries.filter((entry) => !entry.messages.some(isError));
  const distribution = distributionOf(sound);
  const results = refuseCollisions(sound.map((entry) => resultOf(entry, distribution)));
  const messages = [
    ...unreadable,
    // The messages now include those about distributed kubelet settings.
    ...entries.flatMap((entry) => [
      ...entry.messages.toSorted(byCode),
      ...(results.find((result) => result.entry === entry)?.refusals ?? []),
    ]),
  ];
  return {
    objects: results.flatMap(({ entry, outputs, refusals }) =>
      refusals.length > 0
        ? []
        : outputs.map((object) => ({
            object,
            source: entry.source,
            isUnchanged: entry.converted.unchanged !== undefined,
          })),
    ),
    messages,
    isComplete: !messages.some(isError),
  };
}

const byCode = (a: ConvertMessage, b: ConvertMessage): number => (a.code < b.code ? -1 : Number(a.code > b.code));

function readAll(sources: readonly ManifestSource[]) {
  const parts = sources.map(({ file, text }) => {
    const { documents, faults } = readYaml(text);
    const unfolded = documents.map((document) => unfold(file, document));
    const problems = [...faults, ...unfolded.flatMap((one) => one.problems)];
    return {
      objects: unfolded.flatMap((one) => one.objects),
      messages: problems.map(
        ({ line, column, why }): ConvertMessage => ({
          code: 'X-01',
          object: `${file}:${line}:${column}`,
          path: '',
          text: `not readable: ${why}`,
        }),
      ),
    };
  });
  return {
    objects: parts.flatMap(({ objects }) => objects),
    messages: parts.flatMap(({ messages }) => messages),
  };
}

interface Entry {
  readonly source: ManifestObject;
  readonly name: string;
  readonly converted: Converted;
  readonly messages: ConvertMessage[];
  readonly report: ReportMessage;
}

function convertEntry(source: ManifestObject, options: ConvertOptions): Entry {
  const name = formatName(source) ?? '';
  const messages: ConvertMessage[] = [];
  const report: ReportMessage = (code, path, text) => {
    messages.push({ code, object: `${source.kind}/${name}`, path, text });
  };
  return { source, name, converted: convertObject(source, options, report), messages, report };
}

const distributionOf = (entries: readonly Entry[]): Distribution =>
  distributeKubelets(
    entries.flatMap(({ name, converted: { pool }, report }) => (pool ? [{ ...pool, name, report }] : [])),
    entries.flatMap(({ name, converted: { nodeClass } }) => (nodeClass ? [{ name, nodeClass }] : [])),
  );

interface Result {
  readonly entry: Entry;
  readonly outputs: readonly Fields[];
  readonly refusals: readonly ConvertMessage[];
}

function resultOf(entry: Entry, { pools, classes }: Distribution): Result {
  const { converted } = entry;
  const outputs = [
    ...(converted.pool ? [pools.get(converted.pool.pool) ?? converted.pool.pool] : []),
    ...(converted.nodeClass ? (classes.get(converted.nodeClass) ?? [converted.nodeClass]) : []),
    ...(converted.other ? [converted.other] : []),
    ...(converted.unchanged ? [converted.unchanged] : []),
  ];
  return { entry, outputs, refusals: outputs.flatMap(refusalsOf) };
}

/** Refuses results of one kind and name that differ: applied, the last would replace the others. */
function refuseCollisions(results: readonly Result[]): readonly Result[] {
  const made = results.flatMap((result) => result.outputs.map((object) => ({ result, object })));
  const byIdentity = Map.groupBy(made, ({ object }) => identityOf(object));
  return results.map((result) => {
    const refusals = result.outputs.flatMap((object) => {
      const others = (byIdentity.get(identityOf(object)) ?? []).filter(
        (other) => other.result !== result && canonicalText(other.object) !== canonicalText(object),
      );
      const [other] = others;
      return isOurs(object) && other ? [collisionOf(object, result, other.result)] : [];
    });
    return { ...result, refusals: [...result.refusals, ...refusals] };
  });
}

const collisionOf = (object: Fields, { entry }: Result, other: Result): ConvertMessage => ({
  code: 'X-12',
  object: `${entry.source.kind}/${entry.name}`,
  path: 'metadata.name',
  text: `${locationTextOf(entry)} and ${locationTextOf(other.entry)} both become ${describe(object)}: rename one of them`,
});

const locationTextOf = ({ source, name }: Entry): string =>
  `${source.kind}/${name} of ${source.apiVersion} (${source.file})`;

const identityOf = ({ apiVersion, kind, metadata }: Fields): string => {
  const { namespace, name } = toFields(metadata);
  return JSON.stringify([apiVersion, kind, namespace, name]);
};

const describe = ({ kind, metadata }: Fields): string => `${toText(kind)}/${toText(toFields(metadata).name)}`;

const isOurs = ({ apiVersion, kind }: Fields): boolean =>
  isServed({ apiVersion: toText(apiVersion) ?? '', kind: toText(kind) ?? '' });

/** Lists the objections of the API server to the result. */
function refusalsOf(object: Fields): readonly ConvertMessage[] {
  const apiVersion = toText(object.apiVersion) ?? '';
  const kind = toText(object.kind) ?? '';
  const served = findServedKind({ apiVersion, kind });
  if (served.outcome !== 'ours') return [];
  const admission = admit(served.kind, object);
  if (admission.outcome === 'accepted') return [];
  const name = toText(toFields(object.metadata).name) ?? '';
  return admission.objections.map(({ rule, path, what, why }) => ({
    code: 'X-09',
    object: `${kind}/${name}`,
    path: formatPath(path),
    text: `the result breaks ${rule}: ${what}, ${why}`,
  }));
}
