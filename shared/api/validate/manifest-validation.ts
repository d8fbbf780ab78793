import { formatPath, type ManifestFinding } from '../finding.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import { isRecord } from '../schema/schema.ts';

/** Something that is wrong with an object, or that works in another way than it may look. */
export interface ValidationProblem {
  /** Id of the rule, such as `NP-05`, or what the schema says: `required`, `enum`. */
  readonly rule: string;
  /** An error refuses the object. */
  readonly severity: 'error' | 'warning';
  /** Who tells: the API server when the object is written, or a controller that finds it. */
  readonly stage: 'admission' | 'runtime';
  /** `spec.limits.cpu`; empty for the whole object. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly why: string;
  readonly fix: string;
}

/** One object of a file, with the verdict that an API server would give. */
export interface ManifestValidation {
  readonly file: string;
  /** 1-based line where it begins. */
  readonly line: number;
  /** 1-based number of its document in the file. */
  readonly document: number;
  /** Absent: the text cannot be read that far. */
  readonly kind?: string;
  readonly name?: string;
  readonly verdict: 'accepted' | 'refused';
  readonly problems: readonly ValidationProblem[];
}

/** A finding as the report has it, with its place in the text. */
export function toProblem(
  { document, at }: Pick<ManifestObject, 'document' | 'at'>,
  { path, code, rule = code, what, why, fix }: ManifestFinding,
  kind: Pick<ValidationProblem, 'severity' | 'stage'>,
): ValidationProblem {
  const isKey = code === 'unknown-field';
  return {
    rule,
    ...kind,
    path: formatPath(path),
    ...document.positionOf([...at, ...path], isKey ? 'key' : 'value'),
    // A rule says all there is to say; what a schema refuses is told with the value.
    why: isRuleId(rule) || what === why ? why : `${what}: ${why}`,
    fix,
  };
}

const isRuleId = (rule: string): boolean => /^[A-Z]+-\d/.test(rule);

/** What the object calls itself: `general`, or `general-*` for a name that is yet to be made. */
export function formatName({ value }: Pick<ManifestObject, 'value'>): string | undefined {
  const { metadata } = value;
  if (!isRecord(metadata)) return undefined;
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return name;
  return typeof generateName === 'string' && generateName !== '' ? `${generateName}*` : undefined;
}
