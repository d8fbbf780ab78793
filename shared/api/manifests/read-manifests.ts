import type { PriorityClass } from '../builtin-resources/priority-class.ts';
import { quoteUnlessName } from '../finding.ts';
import { assembleManifests } from './assemble-manifests.ts';
import type {
  ManifestProblem,
  ManifestReading,
  ManifestSource,
  SkippedManifest,
} from './cluster-manifests.ts';
import type { Contribution } from './contribution.ts';
import { describeObject, type IdentifiedObject, identify } from './identified-object.ts';
import { type ManifestObject, problemAt, unfold } from './manifest-object.ts';
import { findDuplicates, findMissingClasses } from './references.ts';
import { readYaml, type YamlFault } from './yaml-documents.ts';

/** Results with the problems and skipped objects of the same step. */
interface Collected<T> {
  readonly items: readonly T[];
  readonly problems: readonly ManifestProblem[];
  readonly skipped: readonly SkippedManifest[];
}

/**
 * Reads manifests, or returns all their problems. It opens no files.
 *
 * @param presentClasses - names of EC2NodeClasses that exist besides those of the manifests
 */
export function readManifests(
  sources: readonly ManifestSource[],
  presentClasses: readonly string[] = [],
): ManifestReading {
  const texts = collect(sources.map(readSource));
  const objects = collect(texts.items.map((object, index) => identifyObject(object, index + 1)));
  const made = skipOwned(objects.items);
  const contributions = readAll(made.items);

  const steps = [texts, objects, made, contributions];
  const problems = [
    ...steps.flatMap((step) => step.problems),
    ...findDuplicates(objects.items),
    ...findMissingClasses(objects.items, presentClasses),
  ];
  if (problems.length > 0)
    return { outcome: 'refused', problems: sortByPosition(problems, sources) };
  const skipped = steps.flatMap((step) => step.skipped);
  return { outcome: 'read', manifests: assembleManifests(contributions.items, skipped) };
}

function collect<T>(parts: readonly Collected<T>[]): Collected<T> {
  return {
    items: parts.flatMap(({ items }) => items),
    problems: parts.flatMap(({ problems }) => problems),
    skipped: parts.flatMap(({ skipped }) => skipped),
  };
}

/** Larger texts are not manifests. */
const MAX_CHARACTERS = 10 * 1024 * 1024;

function readSource({ file, text }: ManifestSource): Collected<ManifestObject> {
  if (text.length > MAX_CHARACTERS) {
    return { items: [], problems: [tooLarge(file)], skipped: [] };
  }
  const { documents, faults } = readYaml(text);
  const unfolded = documents.map((document) => unfold(file, document));
  return {
    items: unfolded.flatMap(({ objects }) => objects),
    problems: [
      ...faults.map((fault) => syntaxProblem(file, fault)),
      ...unfolded.flatMap(({ problems }) => problems),
    ],
    skipped: [],
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
      return { items: [identification.value], problems: [], skipped: [] };
    case 'skipped':
      return { items: [], problems: [], skipped: [skip(object, identification.name)] };
    case 'refused':
      return {
        items: [],
        problems: identification.findings.map((finding) =>
          problemAt(object, finding, quoteUnlessName(object.kind)),
        ),
        skipped: [],
      };
  }
}

const skip = ({ file, kind }: ManifestObject, name: string): SkippedManifest => ({
  file,
  kind: quoteUnlessName(kind),
  name: quoteUnlessName(name),
});

/** Skips objects that another object of the files creates anyway; they would exist twice. */
function skipOwned(objects: readonly IdentifiedObject[]): Collected<IdentifiedObject> {
  const keys = new Set(objects.map(describeObject));
  const isOwned = ({ namespace, controller = '' }: IdentifiedObject): boolean => {
    const [kind = '', name = ''] = controller.split(' ');
    return keys.has(describeObject({ kind, namespace, name }));
  };
  return {
    items: objects.filter((object) => !isOwned(object)),
    problems: [],
    skipped: objects.filter(isOwned).map((object) => skip(object, object.name)),
  };
}

/** Reads PriorityClasses first, because reading pods needs them. */
function readAll(objects: readonly IdentifiedObject[]): Collected<Contribution> {
  const [classes, others] = [true, false].map((isClass) =>
    objects.filter(({ kind }) => (kind === 'PriorityClass') === isClass),
  );
  const read = collect((classes ?? []).map((object) => readObject(object, [])));
  const priorityClasses = read.items.flatMap((one) =>
    one.kind === 'priorityClass' ? [one.priorityClass] : [],
  );
  return collect([read, ...(others ?? []).map((object) => readObject(object, priorityClasses))]);
}

function readObject(
  object: IdentifiedObject,
  priorityClasses: readonly PriorityClass[],
): Collected<Contribution> {
  const { name, namespace, reader, value } = object;
  const reading = reader.read(value, { name, namespace, priorityClasses });
  if (reading.outcome === 'refused') {
    const problems = reading.findings.map((finding) =>
      problemAt(object, finding, describeObject(object)),
    );
    return { items: [], problems, skipped: [] };
  }
  const skipped = reading.value.kind === 'skipped' ? [skip(object, name)] : [];
  return { items: [reading.value], problems: [], skipped };
}

/** Sorts problems by their position, so that they can be corrected from top to bottom. */
function sortByPosition(
  problems: readonly ManifestProblem[],
  sources: readonly ManifestSource[],
): readonly ManifestProblem[] {
  const rank = new Map(sources.map(({ file }, index) => [file, index]));
  const rankOf = ({ file }: ManifestProblem): number => rank.get(file) ?? 0;
  return problems.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || a.line - b.line || a.column - b.column,
  );
}
