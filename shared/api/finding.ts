/** Codes of manifest problems. Scripts match on them: codes are added, never renamed. */
export const PROBLEM_CODES = [
  'yaml-syntax',
  'unknown-field',
  'unknown-operator',
  'bad-quantity',
  'bad-duration',
  'missing-reference',
  'duplicate-object',
  'rule-refused',
] as const;
type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Keys and list positions from an object's root to a field. */
export type FieldPath = readonly (string | number)[];

/** A refused value with the reason and the correction. */
export interface FindingText {
  readonly code: ProblemCode;
  /**
   * The id of the broken API rule (`NP-05`, `EC-17`), or the schema keyword, for example
   * `required`.
   */
  readonly rule?: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** True if the value is right as soon as its text is in quotes. */
  readonly isUnquoted?: boolean;
}

/** A refusal at a field. Line and column are added later. */
export interface ManifestFinding extends FindingText {
  readonly path: FieldPath;
}

export type ParseResult<T> =
  | {
      readonly outcome: 'read';
      readonly value: T;
      /** Fields that are accepted with a warning; `undefined` if there are none. */
      readonly warnings?: readonly ManifestFinding[];
    }
  | { readonly outcome: 'refused'; readonly findings: readonly ManifestFinding[] };

/** Creates a refusal by a rule of the API, identified by its id. */
export const refuseByRule = (rule: string, what: string, why: string, fix: string): FindingText => ({
  code: 'rule-refused',
  what,
  why: `${rule}: ${why}`,
  fix,
});

const MAX_QUOTE_LENGTH = 60;
const MAX_NAME_LENGTH = 316;

/** Quotes a text of a manifest: shortened, and with control characters escaped. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text);

/** The fix of a number, boolean or time where the field is a string. */
export const quotingFix = (text: string): string => `put it in quotes: ${quote(text)}`;

/** Escapes control characters, which could change a terminal. */
export const escapeControlCharacters = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (letter) => JSON.stringify(letter).slice(1, -1));

/** Returns a name as it is, and quotes it if Kubernetes would not accept it. */
export const quoteUnlessName = (text: string): string =>
  text.length <= MAX_NAME_LENGTH && /^[\w./-]*$/.test(text) ? text : quote(text);

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Formats a path: `spec.template.spec.requirements[0].operator`, `spec.limits["nvidia.com/gpu"]`.
 */
export const formatPath = (path: FieldPath): string =>
  path
    .map((segment) => {
      if (typeof segment === 'number') return `[${segment}]`;
      return PLAIN_KEY.test(segment) ? `.${segment}` : `[${quote(segment)}]`;
    })
    .join('')
    .replace(/^\./, '');
