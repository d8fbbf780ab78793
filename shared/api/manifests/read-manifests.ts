import { assembleManifests } from './assemble-manifests.ts';
import type {
  ManifestProblem,
  ManifestReading,
  ManifestSource,
  SkippedManifest,
} from './cluster-manifests.ts';
import type { Contribution } from './contribution.ts';
import { named } from '../finding.ts';
import { describeObject, type IdentifiedObject, identify } from './identified-object.ts';
import { type ManifestObject, problemAt, unfold } from './manifest-object.ts';
import type { PriorityClass } from '../builtin-resources/priority-class.ts';
import { duplicates, missingClasses } from './references.ts';
import { readYaml, type YamlFault } from './yaml-documents.ts';

/** Something found, with what was wrong on the way to it. */
interface Found<T> {
  readonly found: readonly T[];
  readonly problems: readonly ManifestProblem[];
  readonly skipped: readonly SkippedManifest[];
}

/** Reads manifests, or tells everything that is wrong with them. Opening files is the caller's. */
export function readManifests(sources: readonly ManifestSource[]): ManifestReading {
  const texts = collect(sources.map(readSource));
  const objects = collect(texts.found.map((object, index) => identified(object, index + 1)));
  const made = leaveOutOwned(objects.found);
  const contributions = readAll(made.found);

  const steps = [texts, objects, made, contributions];
  const problems = [
    ...steps.flatMap((step) => step.problems),
    ...duplicates(objects.found),
    ...missingClasses(objects.found),
  ];
  if (problems.length > 0) return { outcome: 'refused', problems: inOrder(problems, sources) };
  const skipped = steps.flatMap((step) => step.skipped);
  return { outcome: 'read', manifests: assembleManifests(contributions.found, skipped) };
}

function collect<T>(parts: readonly Found<T>[]): Found<T> {
  return {
    found: parts.flatMap(({ found }) => found),
    problems: parts.flatMap(({ problems }) => problems),
    skipped: parts.flatMap(({ skipped }) => skipped),
  };
}

/** What is larger is no manifest that a person keeps. */
const MOST_CHARACTERS = 10 * 1024 * 1024;

function readSource({ file, text }: ManifestSource): Found<ManifestObject> {
  if (text.length > MOST_CHARACTERS) {
    return { found: [], problems: [tooLarge(file)], skipped: [] };
  }
  const { documents, faults } = readYaml(text);
  const unfolded = documents.map((document) => unfold(file, document));
  return {
    found: unfolded.flatMap(({ objects }) => objects),
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

function identified(object: ManifestObject, ordinal: number): Found<IdentifiedObject> {
  const identification = identify(object, ordinal);
  switch (identification.outcome) {
    case 'read':
      return { found: [identification.value], problems: [], skipped: [] };
    case 'skipped':
      return { found: [], problems: [], skipped: [skip(object, identification.name)] };
    case 'refused':
      return {
        found: [],
        problems: identification.findings.map((finding) =>
          problemAt(object, finding, named(object.kind)),
        ),
        skipped: [],
      };
  }
}

const skip = ({ file, kind }: ManifestObject, name: string): SkippedManifest => ({
  file,
  kind: named(kind),
  name: named(name),
});

/** What another object of the files makes anyway would be there twice. */
function leaveOutOwned(objects: readonly IdentifiedObject[]): Found<IdentifiedObject> {
  const keys = new Set(objects.map(describeObject));
  const isOwned = ({ namespace, controller = '' }: IdentifiedObject): boolean => {
    const [kind = '', name = ''] = controller.split(' ');
    return keys.has(describeObject({ kind, namespace, name }));
  };
  return {
    found: objects.filter((object) => !isOwned(object)),
    problems: [],
    skipped: objects.filter(isOwned).map((object) => skip(object, object.name)),
  };
}

/** PriorityClasses first: pods are read with them in hand. */
function readAll(objects: readonly IdentifiedObject[]): Found<Contribution> {
  const [classes, others] = [true, false].map((isClass) =>
    objects.filter(({ kind }) => (kind === 'PriorityClass') === isClass),
  );
  const read = collect((classes ?? []).map((object) => readObject(object, [])));
  const priorityClasses = read.found.flatMap((one) =>
    one.kind === 'priorityClass' ? [one.priorityClass] : [],
  );
  return collect([read, ...(others ?? []).map((object) => readObject(object, priorityClasses))]);
}

function readObject(
  object: IdentifiedObject,
  priorityClasses: readonly PriorityClass[],
): Found<Contribution> {
  const { name, namespace, reader, value } = object;
  const reading = reader.read(value, { name, namespace, priorityClasses });
  if (reading.outcome === 'refused') {
    const problems = reading.findings.map((finding) =>
      problemAt(object, finding, describeObject(object)),
    );
    return { found: [], problems, skipped: [] };
  }
  const skipped = reading.value.kind === 'skipped' ? [skip(object, name)] : [];
  return { found: [reading.value], problems: [], skipped };
}

/** As they stand in the texts, so that they can be mended from top to bottom. */
function inOrder(
  problems: readonly ManifestProblem[],
  sources: readonly ManifestSource[],
): readonly ManifestProblem[] {
  const rank = new Map(sources.map(({ file }, index) => [file, index]));
  const rankOf = ({ file }: ManifestProblem): number => rank.get(file) ?? 0;
  return problems.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || a.line - b.line || a.column - b.column,
  );
}
