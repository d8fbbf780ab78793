/** Codes of what can be wrong with a manifest. Scripts match on them: added to, never renamed. */
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

/** What is refused, why, and how to mend it. */
export interface FindingText {
  readonly code: ProblemCode;
  /** Id of the API's rule that is broken: `NP-05`, `EC-17`, or what the schema says: `required`. */
  readonly rule?: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A refusal at a field; the text's line and column are found later. */
export interface ManifestFinding extends FindingText {
  readonly path: FieldPath;
}

export type ParseResult<T> =
  | { readonly outcome: 'read'; readonly value: T }
  | { readonly outcome: 'refused'; readonly findings: readonly ManifestFinding[] };

/** A refusal by a rule of the API, named by its id. */
export const refuseByRule = (
  rule: string,
  what: string,
  why: string,
  fix: string,
): FindingText => ({
  code: 'rule-refused',
  what,
  why: `${rule}: ${why}`,
  fix,
});

const MAX_QUOTE_LENGTH = 60;
const MAX_NAME_LENGTH = 316;

/** What a manifest says, in quotes: cut where it is long, and without effect on a terminal. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text);

/** The text without effect on a terminal: what controls one is shown as its escape. */
export const escapeControlCharacters = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (letter) => JSON.stringify(letter).slice(1, -1));

/** A name as it is; in quotes if it is none that Kubernetes would take. */
export const quoteUnlessName = (text: string): string =>
  text.length <= MAX_NAME_LENGTH && /^[\w./-]*$/.test(text) ? text : quote(text);

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** `spec.template.spec.requirements[0].operator`, `spec.limits["nvidia.com/gpu"]`. */
export const formatPath = (path: FieldPath): string =>
  path
    .map((segment) => {
      if (typeof segment === 'number') return `[${segment}]`;
      return PLAIN_KEY.test(segment) ? `.${segment}` : `[${quote(segment)}]`;
    })
    .join('')
    .replace(/^\./, '');
