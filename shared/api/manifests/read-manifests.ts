import * as z from 'zod';
import { REGION_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PriorityClass } from '../builtin-resources/priority-class.ts';
import { type ManifestFinding, quoteUnlessName } from '../finding.ts';
import { assembleManifests } from './assemble-manifests.ts';
import type {
  ManifestProblem,
  ManifestReading,
  ManifestSource,
  SkipCause,
  SkippedManifest,
} from './cluster-manifests.ts';
import type { Contribution } from './contribution.ts';
import { describeObject, type IdentifiedObject, identify } from './identified-object.ts';
import { findKustomizeParts } from './kustomize-parts.ts';
import { type ManifestObject, problemAt, unfold } from './manifest-object.ts';
import { dropRepeatedObjects, findDuplicates, findMissingClasses } from './references.ts';
import { readYaml, type YamlFault } from './yaml-documents.ts';

/** Results with the problems and skipped objects of the same step. */
interface Collected<T> {
  readonly items: readonly T[];
  readonly problems: readonly ManifestProblem[];
  readonly skipped: readonly SkippedManifest[];
  readonly warnings: readonly ManifestProblem[];
}

const NONE = { items: [], problems: [], skipped: [], warnings: [] };

/**
 * Reads manifests, or returns all their problems. It opens no files.
 *
 * @param presentClasses - names of EC2NodeClasses that exist besides those of the manifests
 */
export function readManifests(
  sources: readonly ManifestSource[],
  presentClasses: readonly string[] = [],
): ManifestReading {
  const parts = findKustomizeParts(sources);
  const texts = collect(sources.filter(({ file }) => !parts.has(file)).map(readSource));
  const objects = collect(texts.items.map((object, index) => identifyObject(object, index + 1)));
  const distinct = dropRepeatedObjects(objects.items);
  const made = skipOwned(distinct);
  const contributions = readAll(made.items);

  const steps = [texts, objects, made, contributions];
  const problems = [
    ...steps.flatMap((step) => step.problems),
    ...findDuplicates(distinct),
    ...findMissingClasses(distinct, presentClasses),
  ];
  if (problems.length > 0) return { outcome: 'refused', problems: sortByPosition(problems, sources) };
  const skipped = steps.flatMap((step) => step.skipped);
  const { warnings } = contributions;
  const manifests = assembleManifests(contributions.items, skipped);
  return {
    outcome: 'read',
    manifests: {
      ...manifests,
      ...(warnings.length > 0 && { warnings: sortByPosition(warnings, sources) }),
    },
  };
}

function collect<T>(parts: readonly Collected<T>[]): Collected<T> {
  return {
    items: parts.flatMap(({ items }) => items),
    problems: parts.flatMap(({ problems }) => problems),
    skipped: parts.flatMap(({ skipped }) => skipped),
    warnings: parts.flatMap(({ warnings }) => warnings),
  };
}

/** Larger texts are not manifests. */
const MAX_CHARACTERS = 10 * 1024 * 1024;

function readSource({ file, text }: ManifestSource): Collected<ManifestObject> {
  if (text.length > MAX_CHARACTERS) {
    return { ...NONE, problems: [tooLarge(file)] };
  }
  const { documents, faults } = readYaml(text);
  const unfolded = documents.map((document) => unfold(file, document));
  return {
    ...NONE,
    items: unfolded.flatMap(({ objects }) => objects),
    problems: [...faults.map((fault) => syntaxProblem(file, fault)), ...unfolded.flatMap(({ problems }) => problems)],
  };
}

const syntaxProblem = (file: string, fault: YamlFault): ManifestProblem => ({
  code: 'yaml-syntax',
  what: 'YAML cannot be read',
  file,
  ...fault,
});

const tooLarge = (file: string): ManifestProblem => ({
  code: 'yaml-syntax',
  what: 'file is too large',
  file,
  line: 1,
  column: 1,
  document: 1,
  why: 'more than 10 MiB of manifests in one text',
  fix: 'split it, or name the files that matter',
});

function identifyObject(object: ManifestObject, ordinal: number): Collected<IdentifiedObject> {
  const identification = identify(object, ordinal);
  switch (identification.outcome) {
    case 'read':
      return { ...NONE, items: [identification.value] };
    case 'skipped':
      return {
        ...NONE,
        skipped: [{ ...skip(object, identification.name), ...readNodeLocation(object) }],
      };
    case 'refused':
      return {
        ...NONE,
        problems: identification.findings.map((finding) => problemAt(object, finding, quoteUnlessName(object.kind))),
      };
  }
}

const skip = ({ file, kind }: ManifestObject, name: string, cause?: SkipCause): SkippedManifest => ({
  file,
  kind: quoteUnlessName(kind),
  name: quoteUnlessName(name),
  ...(cause && { cause }),
});

const nodeSchema = z.object({
  apiVersion: z.literal('v1'),
  kind: z.literal('Node'),
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}).catch({}) }),
  spec: z.object({ providerID: z.string().default('').catch('') }).prefault({}),
});

/** Reads where the instance of a Node is: `aws:///eu-west-1a/i-0123456789abcdef0`. */
function readNodeLocation({ value }: ManifestObject): Pick<SkippedManifest, 'location'> {
  const { data } = nodeSchema.safeParse(value);
  if (!data) return {};
  const { labels } = data.metadata;
  const [, zone] = /^aws:\/\/\/([^/]+)\//.exec(data.spec.providerID) ?? [];
  const location = ownValue(labels, ZONE_LABEL) ?? ownValue(labels, REGION_LABEL) ?? zone;
  return location === undefined ? {} : { location };
}

/** Skips objects that another object of the files creates anyway; they would exist twice. */
function skipOwned(objects: readonly IdentifiedObject[]): Collected<IdentifiedObject> {
  const keys = new Set(objects.map(describeObject));
  const isOwned = ({ namespace, controller = '' }: IdentifiedObject): boolean => {
    const [kind = '', name = ''] = controller.split(' ');
    return keys.has(describeObject({ kind, namespace, name }));
  };
  return {
    ...NONE,
    items: objects.filter((object) => !isOwned(object)),
    skipped: objects.filter(isOwned).map((object) => skip(object, object.name, { why: 'owned' })),
  };
}

/** Reads PriorityClasses first, because reading pods needs them. */
function readAll(objects: readonly IdentifiedObject[]): Collected<Contribution> {
  const [classes, others] = [true, false].map((isClass) =>
    objects.filter(({ kind }) => (kind === 'PriorityClass') === isClass),
  );
  const read = collect((classes ?? []).map((object) => readObject(object, [])));
  const priorityClasses = read.items.flatMap((one) => (one.kind === 'priorityClass' ? [one.priorityClass] : []));
  return collect([read, ...(others ?? []).map((object) => readObject(object, priorityClasses))]);
}

function readObject(object: IdentifiedObject, priorityClasses: readonly PriorityClass[]): Collected<Contribution> {
  const { name, namespace, reader, value } = object;
  const reading = reader.read(value, { name, namespace, priorityClasses });
  const locate = (finding: ManifestFinding): ManifestProblem => problemAt(object, finding, describeObject(object));
  if (reading.outcome === 'refused') return { ...NONE, problems: reading.findings.map(locate) };
  const { value: item, warnings = [] } = reading;
  const skipped = item.kind === 'skipped' ? [skip(object, name, item.cause)] : [];
  return { items: [item], problems: [], skipped, warnings: warnings.map(locate) };
}

/** Sorts problems by their position, so that they can be corrected from top to bottom. */
function sortByPosition(
  problems: readonly ManifestProblem[],
  sources: readonly ManifestSource[],
): readonly ManifestProblem[] {
  const rank = new Map(sources.map(({ file }, index) => [file, index]));
  const rankOf = ({ file }: ManifestProblem): number => rank.get(file) ?? 0;
  return problems.toSorted((a, b) => rankOf(a) - rankOf(b) || a.line - b.line || a.column - b.column);
}
