import { formatPath, type ManifestFinding } from '../finding.ts';
import { fixAt, type ManifestObject } from '../manifests/manifest-object.ts';
import { isRecord } from '../schema/schema.ts';

/** An error or a warning about an object. */
export interface ValidationProblem {
  /** The id of the rule, such as `NP-05`, or the schema keyword: `required`, `enum`. */
  readonly rule: string;
  /** With an error, the API server refuses the object, or the controllers do not use it. */
  readonly severity: 'error' | 'warning';
  /** The reporter: the API server when the object is written, or a controller afterwards. */
  readonly stage: 'admission' | 'runtime';
  /** `spec.limits.cpu`; empty for the whole object. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly why: string;
  readonly fix: string;
}

/** One object of a file, with the result of its validation. */
export interface ManifestValidation {
  readonly file: string;
  /** The 1-based line where it begins. */
  readonly line: number;
  /** The 1-based number of its document in the file. */
  readonly document: number;
  /** `undefined` if the text cannot be read that far. */
  readonly kind?: string;
  readonly name?: string;
  /**
   * `refused`: by the API server. `unusable`: the API server stores the object, and the controllers do not
   * use it. `not-judged`: another controller serves the kind.
   */
  readonly verdict: 'accepted' | 'refused' | 'unusable' | 'not-judged';
  readonly problems: readonly ValidationProblem[];
}

/** Converts a finding to a problem with its position in the text. */
export function toProblem(
  written: Pick<ManifestObject, 'document' | 'at'>,
  finding: ManifestFinding,
  kind: Pick<ValidationProblem, 'severity' | 'stage'>,
): ValidationProblem {
  const { document, at } = written;
  const { path, code, rule = code, what, why } = finding;
  const isKey = code === 'unknown-field';
  return {
    rule,
    ...kind,
    path: formatPath(path),
    ...document.positionOf([...at, ...path], isKey ? 'key' : 'value'),
    // The text of a rule is complete; a schema violation is reported with the value.
    why: isRuleId(rule) || what === why ? why : `${what}: ${why}`,
    fix: fixAt(written, finding),
  };
}

const isRuleId = (rule: string): boolean => /^[A-Z]+-\d/.test(rule);

/** Formats the name of an object: `general`, or `general-*` for a generated name. */
export function formatName({ value }: Pick<ManifestObject, 'value'>): string | undefined {
  const { metadata } = value;
  if (!isRecord(metadata)) return undefined;
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return name;
  return typeof generateName === 'string' && generateName !== '' ? `${generateName}*` : undefined;
}
