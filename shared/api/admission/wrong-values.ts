import { type FieldPath, type Finding, named, quoted, type Refusal } from '../finding.ts';
import { nearestWord } from '../nearest-word.ts';
import type { SchemaNode } from '../schema/schema.ts';

/**
 * Why a field is refused, as the API server names it.
 *
 * @see k8s.io/apimachinery metav1.CauseType; `UnknownField` is what strict decoding finds
 */
export type Cause =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueTypeInvalid'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueDuplicate'
  | 'UnknownField';

/** A field that the API server refuses. */
export interface Objection extends Finding {
  readonly rule: string;
  readonly cause: Cause;
}

const BLOCKING: ReadonlySet<Cause> = new Set<Cause>([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

/** Rules in CEL are not judged of an object whose shape is wrong. */
export const isBlocking = ({ cause }: Objection): boolean => BLOCKING.has(cause);

/** What is wrong with a value, in words: one function for each thing that a schema can ask. */

interface Said extends Omit<Refusal, 'code'> {
  readonly rule: string;
  readonly cause: Cause;
  readonly code?: Refusal['code'];
}

const objection = (path: FieldPath, said: Said): Objection => ({
  code: 'rule-refused',
  path,
  ...said,
});

/** The name of the field that a path leads to, or through: items of lists have none. */
export const fieldOf = (path: FieldPath): string =>
  named(`${path.findLast((segment) => typeof segment === 'string') ?? 'object'}`);

export function missing(
  path: FieldPath,
  { enum: allowed, type, intOrString }: SchemaNode,
): Objection {
  const field = fieldOf(path);
  const wanted = allowed ? `: ${allowed.join(', ')}` : `, a ${nounOf({ type, intOrString })}`;
  return objection(path, {
    rule: 'required',
    cause: 'FieldValueRequired',
    what: `${field} is missing`,
    why: `${field} is required`,
    fix: `add ${allowed ? 'it' : field}${wanted}`,
  });
}

const NOUNS = {
  object: 'map',
  array: 'list',
  string: 'string',
  integer: 'whole number',
  boolean: 'true or false',
} as const;

type Typed = { readonly [K in 'type' | 'intOrString']?: SchemaNode[K] | undefined };

const nounOf = ({ type, intOrString }: Typed): string =>
  intOrString ? 'string or whole number' : type ? NOUNS[type] : 'value';

export function wrongType(path: FieldPath, node: SchemaNode, value: unknown): Objection {
  const noun = nounOf(node);
  const isQuotable =
    noun.startsWith('string') && (typeof value === 'number' || typeof value === 'boolean');
  return objection(path, {
    rule: 'type',
    cause: 'FieldValueTypeInvalid',
    what: `${fieldOf(path)} is no ${noun}`,
    why: `expected is a ${noun}, found ${describe(value)}`,
    fix: isQuotable ? `put it in quotes: ${quoted(String(value))}` : `write a ${noun}`,
  });
}

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string'
    ? `the string ${quoted(value)}`
    : `the ${typeof value} ${String(value)}`;
}

export function notAmong(path: FieldPath, allowed: readonly string[], value: string): Objection {
  const field = fieldOf(path);
  const meant = nearestWord(value, allowed);
  return objection(path, {
    code: field === 'operator' ? 'unknown-operator' : 'rule-refused',
    rule: 'enum',
    cause: 'FieldValueNotSupported',
    what: `${field} ${quoted(value)} is unknown`,
    why: `allowed are ${allowed.join(', ')}`,
    fix: meant ? `write ${meant}` : 'write one of them',
  });
}

export function notMatching(path: FieldPath, { wording }: SchemaNode, text: string): Objection {
  if (!wording) {
    return objection(path, {
      rule: 'pattern',
      cause: 'FieldValueInvalid',
      what: `${quoted(text)} is not allowed`,
      why: 'it has another form than the field asks for',
      fix: 'respell it',
    });
  }
  const { noun, grammar, example, meant } = wording;
  const suggestion = meant?.(text);
  return objection(path, {
    code:
      noun === 'quantity' ? 'bad-quantity' : noun === 'duration' ? 'bad-duration' : 'rule-refused',
    rule: 'pattern',
    cause: 'FieldValueInvalid',
    what: `${quoted(text)} is no ${noun}`,
    why: grammar,
    fix: suggestion === undefined ? `write ${example}, for example` : `write ${suggestion}`,
  });
}

/** @param size - `63 characters`, `100 items` */
export const outOfRange = (
  path: FieldPath,
  rule: keyof SchemaNode & string,
  bound: number,
  found: number,
): Objection => {
  const isUpper = rule.startsWith('max');
  const allowed = `${isUpper ? 'at most' : 'at least'} ${bound}${UNITS[rule] ?? ''}`;
  return objection(path, {
    rule,
    cause: isUpper ? (UPPER[rule] ?? 'FieldValueInvalid') : 'FieldValueInvalid',
    what: `${fieldOf(path)} is out of range`,
    why: `${allowed} allowed, found ${found}`,
    fix: `write ${allowed}`,
  });
};

const UNITS: Readonly<Record<string, string>> = {
  minLength: ' characters',
  maxLength: ' characters',
  minItems: ' items',
  maxItems: ' items',
  maxProperties: ' entries',
};

const UPPER: Readonly<Record<string, Cause>> = {
  maxLength: 'FieldValueTooLong',
  maxItems: 'FieldValueTooMany',
  maxProperties: 'FieldValueTooMany',
};

export const notAnInstant = (path: FieldPath, text: string): Objection =>
  objection(path, {
    rule: 'date-time',
    cause: 'FieldValueInvalid',
    what: `${quoted(text)} is no time`,
    why: 'times are written as RFC 3339 has it',
    fix: 'write 2026-01-31T12:00:00Z, for example',
  });

export const doubled = (path: FieldPath, value: string): Objection =>
  objection(path, {
    rule: 'set',
    cause: 'FieldValueDuplicate',
    what: `${named(value)} is there twice`,
    why: 'the list is a set',
    fix: 'take one out',
  });

export function unknownField(path: FieldPath, known: readonly string[]): Objection {
  const name = `${path.at(-1) ?? ''}`;
  const meant = nearestWord(name, known);
  const allowed = known.length > 0 ? `; allowed are ${known.join(', ')}` : '';
  return objection(path, {
    code: 'unknown-field',
    rule: 'unknown-field',
    cause: 'UnknownField',
    what: `no field ${named(name)}`,
    why: 'fields are strict, as kubectl asks of the API server',
    fix: meant ? `write ${meant}` : `take it out${allowed}`,
  });
}
