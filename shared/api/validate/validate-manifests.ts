import { admit } from '../admission/admit.ts';
import { EC2_NODE_CLASS } from '../custom-resources/ec2-node-class.ts';
import { NODE_OVERLAY } from '../custom-resources/node-overlay.ts';
import { NODE_POOL } from '../custom-resources/node-pool.ts';
import type { FieldPath } from '../finding.ts';
import type { ManifestSource } from '../manifests/cluster-manifests.ts';
import { findKustomizeParts } from '../manifests/kustomize-parts.ts';
import { isKustomization, type ManifestObject, unfold } from '../manifests/manifest-object.ts';
import { findPlaceholder } from '../manifests/placeholder-text.ts';
import { readYaml } from '../manifests/yaml-documents.ts';
import {
  listMissingClassFaults,
  listUnusedReservationFaults,
  type ObjectSet,
  type ReferencedObject,
} from '../runtime-validation/between-objects.ts';
import { createFault, type Fault, type RuntimeSettings } from '../runtime-validation/fault.ts';
import { listRuntimeFaults } from '../runtime-validation/faults.ts';
import { findOverlayConflict } from '../runtime-validation/overlay-faults.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { isRecord } from '../schema/schema.ts';
import { readStored } from '../stored-objects/read-stored.ts';
import { formatName, type ManifestValidation, toProblem, type ValidationProblem } from './manifest-validation.ts';
import { findRepeatedKeys, findRepeatedObject } from './repetitions.ts';
import { findServedKind } from './served-kinds.ts';
import { listWorkloadFindings } from './workload-faults.ts';

/**
 * An object with its own validation. Relations between objects are checked when all have been read.
 */
interface Entry {
  readonly judged: ManifestValidation;
  /** `undefined` if the object was refused or is of a kind that we do not serve. */
  readonly stored?: {
    readonly written: ManifestObject;
    readonly kind: CustomKind;
    readonly object: unknown;
  };
}

/** Validates every object of the texts, in their order. It opens no files. */
export function validateManifests(
  sources: readonly ManifestSource[],
  settings: RuntimeSettings,
): readonly ManifestValidation[] {
  const parts = findKustomizeParts(sources);
  const entries = sources.flatMap((source) => (parts.has(source.file) ? [kustomizePartOf(source)] : entriesOf(source)));
  const all = objectSetOf(entries);
  const earlierObjects = new Set<string>();
  return entries.map(({ judged, stored }) => {
    if (!stored) return judged;
    const { written, kind, object } = stored;
    const { refusals, warnings } = listRuntimeFaults(kind, object, settings);
    const allWarnings = [
      ...findRepeatedObject(written, earlierObjects),
      ...findRepeatedKeys(written),
      ...findPlaceholders(written),
      ...warnings,
      ...faultsBetween(kind, object, all),
    ];
    return {
      ...judged,
      verdict: refusals.length > 0 ? 'unusable' : judged.verdict,
      problems: [
        ...refusals.map((one) => toProblem(written, one, UNUSABLE)),
        ...allWarnings.map((one) => toProblem(written, one, RUNTIME)),
      ],
    };
  });
}

const ADMISSION = { severity: 'error', stage: 'admission' } as const;
const UNUSABLE = { severity: 'error', stage: 'runtime' } as const;
const RUNTIME = { severity: 'warning', stage: 'runtime' } as const;

/** A file that is no object by itself. */
const kustomizePartOf = ({ file }: ManifestSource): Entry => ({
  judged: {
    file,
    line: 1,
    document: 1,
    verdict: 'not-judged',
    problems: [
      {
        rule: KUSTOMIZATION.rule,
        ...RUNTIME,
        path: '',
        line: 1,
        column: 1,
        why: 'a part of a kustomization, and no object of its own',
        fix: KUSTOMIZATION.fix,
      },
    ],
  },
});

function entriesOf({ file, text }: ManifestSource): readonly Entry[] {
  const { documents, faults } = readYaml(text);
  const unreadable = faults.map(({ document, line, column, why, fix }) => {
    const problem = { rule: 'yaml-syntax', ...ADMISSION, path: '', line, column, why, fix };
    return { file, line, document, verdict: 'refused', problems: [problem] } as const;
  });
  const read = documents.flatMap((document) => {
    const { objects, problems } = unfold(file, document);
    const shapeless = problems.map(({ line, column, path = '', what, why, fix }) => ({
      judged: {
        file,
        line,
        document: document.number,
        verdict: 'refused' as const,
        problems: [{ rule: 'manifest', ...ADMISSION, path, line, column, why: `${what}: ${why}`, fix }],
      },
    }));
    return [...shapeless, ...objects.map(entryOf)];
  });
  return [...unreadable.map((judged) => ({ judged })), ...read].toSorted(inTheText);
}

const inTheText = ({ judged: a }: Entry, { judged: b }: Entry): number => a.document - b.document || a.line - b.line;

function entryOf(written: ManifestObject): Entry {
  const served = findServedKind(written);
  if (served.outcome === 'foreign') {
    const { refusals, warnings } = isKustomization(written)
      ? { refusals: [], warnings: [KUSTOMIZATION] }
      : listWorkloadFindings(written);
    const judged = judgedOf(written, [
      ...sortByPosition(refusals.map((one) => toProblem(written, one, ADMISSION))),
      ...warnings.map((one) => toProblem(written, one, RUNTIME)),
    ]);
    // Only some fields of these kinds are read, so none is accepted as a whole.
    return { judged: refusals.length > 0 ? judged : { ...judged, verdict: 'not-judged' } };
  }
  if (served.outcome === 'not-served') {
    return { judged: judgedOf(written, [toProblem(written, served.finding, ADMISSION)]) };
  }
  const { kind } = served;
  const admission = admit(kind, written.value);
  if (admission.outcome === 'accepted') {
    const stored = { written, kind, object: admission.object };
    return { judged: judgedOf(written, []), stored };
  }
  const problems = admission.objections.map((one) => toProblem(written, one, ADMISSION));
  return { judged: judgedOf(written, sortByPosition(problems)) };
}

const KUSTOMIZATION = createFault(
  'kustomization',
  [],
  'a kustomization is no object of a cluster, and its patches are not applied here',
  'run `kubectl kustomize` first, and name the file with its output',
);

const sortByPosition = (problems: readonly ValidationProblem[]): readonly ValidationProblem[] =>
  problems.toSorted((a, b) => a.line - b.line || a.column - b.column);

function judgedOf(written: ManifestObject, problems: readonly ValidationProblem[]): ManifestValidation {
  const { file, document, at, kind } = written;
  const name = formatName(written);
  return {
    file,
    line: document.positionOf(at, 'value').line,
    document: document.number,
    kind,
    ...(name !== undefined && { name }),
    verdict: problems.some(({ severity }) => severity === 'error') ? 'refused' : 'accepted',
    problems,
  };
}

function objectSetOf(entries: readonly Entry[]): ObjectSet {
  const specsOf = <Spec>(kind: CustomKind<Spec>): readonly ReferencedObject<Spec>[] =>
    entries.flatMap(({ stored }) => {
      if (stored?.kind.kind !== kind.kind) return [];
      const reading = readStored(kind, stored.object);
      const name = formatName(stored.written) ?? '';
      return reading.outcome === 'read' ? [{ name, spec: reading.value.spec }] : [];
    });
  return {
    pools: specsOf(NODE_POOL),
    classes: specsOf(EC2_NODE_CLASS),
    overlays: specsOf(NODE_OVERLAY),
  };
}

function faultsBetween(kind: CustomKind, object: unknown, all: ObjectSet): readonly Fault[] {
  if (kind.kind === NODE_POOL.kind) {
    const pool = readStored(NODE_POOL, object);
    return pool.outcome === 'read' ? listMissingClassFaults(pool.value.spec, all) : [];
  }
  if (kind.kind === EC2_NODE_CLASS.kind) {
    const nodeClass = namedOf(EC2_NODE_CLASS, object);
    return nodeClass ? listUnusedReservationFaults(nodeClass, all) : [];
  }
  const overlay = kind.kind === NODE_OVERLAY.kind ? namedOf(NODE_OVERLAY, object) : undefined;
  return overlay ? findOverlayConflict(overlay, all.overlays) : [];
}

function namedOf<Spec>(kind: CustomKind<Spec>, object: unknown): ReferencedObject<Spec> | undefined {
  const reading = readStored(kind, object);
  if (reading.outcome !== 'read') return undefined;
  return { name: reading.value.metadata.name ?? '', spec: reading.value.spec };
}

/** The node runs it as a script, in which such texts are variables of the shell. */
const SCRIPT_FIELD = 'userData';

/** Finds keys and values that a program was meant to replace before the manifest is applied. */
const findPlaceholders = ({ value }: Pick<ManifestObject, 'value'>): readonly Fault[] =>
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
