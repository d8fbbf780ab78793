import { findNearestWord } from '../../model/nearest-word.ts';
import { ownValue } from '../../model/own-value.ts';
import {
  type FieldPath,
  type FindingText,
  type ManifestFinding,
  quote,
  quoteUnlessName,
  quotingFix,
} from '../finding.ts';
import type { SchemaNode } from '../schema/schema.ts';

/**
 * Why a field is refused, as the API server names it.
 *
 * @see k8s.io/apimachinery metav1.CauseType; `UnknownField` is the finding of strict decoding
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
export interface Objection extends ManifestFinding {
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

/** The API server does not evaluate CEL rules on an object with such an objection. */
export const isBlocking = ({ cause }: Objection): boolean => BLOCKING.has(cause);

/** The texts of objections: one function for each kind of schema violation. */

interface Said extends Omit<FindingText, 'code'> {
  readonly rule: string;
  readonly cause: Cause;
  readonly code?: FindingText['code'];
}

const createObjection = (path: FieldPath, said: Said): Objection => ({
  code: 'rule-refused',
  path,
  ...said,
});

/** Returns the name of the last field on a path; list items have no name. */
export const describeField = (path: FieldPath): string =>
  quoteUnlessName(`${path.findLast((segment) => typeof segment === 'string') ?? 'object'}`);

export function missingObjection(path: FieldPath, { enum: allowed, type, intOrString }: SchemaNode): Objection {
  const field = describeField(path);
  const expected = allowed ? `: ${allowed.join(', ')}` : `, a ${nounOf({ type, intOrString })}`;
  return createObjection(path, {
    rule: 'required',
    cause: 'FieldValueRequired',
    what: `${field} is missing`,
    why: `${field} is required`,
    fix: `add ${allowed ? 'it' : field}${expected}`,
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

/** @param former - what to write in place of the field, if it is one of an earlier version */
export function wrongTypeObjection(path: FieldPath, node: SchemaNode, value: unknown, former?: string): Objection {
  const noun = nounOf(node);
  const isQuotable = noun.startsWith('string') && (typeof value === 'number' || typeof value === 'boolean');
  return createObjection(path, {
    rule: 'type',
    cause: 'FieldValueTypeInvalid',
    what: `${describeField(path)} is no ${noun}`,
    why: `expected is a ${noun}, found ${describe(value)}`,
    ...(isQuotable ? fixOfUnquoted(node, String(value)) : { fix: former ?? `write a ${noun}` }),
  });
}

/** Quotes alone do not help if the text needs a unit as well: `consolidateAfter: 30`. */
function fixOfUnquoted(node: SchemaNode, text: string): Pick<FindingText, 'fix' | 'isUnquoted'> {
  const { pattern, wording } = node;
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) {
    return { fix: quotingFix(text), isUnquoted: true };
  }
  return { fix: `write ${proposeText(node, text) ?? wording?.example ?? 'another text'}` };
}

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? `the string ${quote(value)}` : `the ${typeof value} ${String(value)}`;
}

export function notAmongObjection(
  path: FieldPath,
  { enum: allowed = [], former }: SchemaNode,
  value: string,
): Objection {
  const field = describeField(path);
  const meant = ownValue(former, value) ?? findNearestWord(value, allowed);
  return createObjection(path, {
    code: field === 'operator' ? 'unknown-operator' : 'rule-refused',
    rule: 'enum',
    cause: 'FieldValueNotSupported',
    what: `${field} ${quote(value)} is unknown`,
    why: `allowed are ${allowed.join(', ')}`,
    fix: meant ? `write ${meant}` : 'write one of them',
  });
}

export function patternObjection(path: FieldPath, node: SchemaNode, text: string): Objection {
  const { wording } = node;
  if (!wording) {
    return createObjection(path, {
      rule: 'pattern',
      cause: 'FieldValueInvalid',
      what: `${quote(text)} is not allowed`,
      why: 'it has another form than the field asks for',
      fix: 'respell it',
    });
  }
  const { noun, grammar, example } = wording;
  const suggestion = proposeText(node, text);
  return createObjection(path, {
    code: noun === 'quantity' ? 'bad-quantity' : noun === 'duration' ? 'bad-duration' : 'rule-refused',
    rule: 'pattern',
    cause: 'FieldValueInvalid',
    what: `${quote(text)} is no ${noun}`,
    why: grammar,
    fix: suggestion === undefined ? `write ${example}, for example` : `write ${suggestion}`,
  });
}

/** Returns what the text most likely means, as the field takes it. */
function proposeText({ pattern = '', wording }: SchemaNode, text: string): string | undefined {
  const meant = wording?.meant?.(text);
  return meant !== undefined && new RegExp(pattern, 'u').test(meant) ? meant : undefined;
}

/** Objects to a length, a number of items or a value that is not within its bound. */
export const rangeObjection = (
  path: FieldPath,
  rule: keyof SchemaNode & string,
  bound: number,
  result: number,
): Objection => {
  const isUpper = rule.startsWith('max');
  const allowed = `${isUpper ? 'at most' : 'at least'} ${bound}${UNITS[rule] ?? ''}`;
  return createObjection(path, {
    rule,
    cause: isUpper ? (UPPER[rule] ?? 'FieldValueInvalid') : 'FieldValueInvalid',
    what: `${describeField(path)} is out of range`,
    why: `${allowed} allowed, found ${result}`,
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

export const instantObjection = (path: FieldPath, text: string): Objection =>
  createObjection(path, {
    rule: 'date-time',
    cause: 'FieldValueInvalid',
    what: `${quote(text)} is no time`,
    why: 'times are written as RFC 3339 has it',
    fix: 'write 2026-01-31T12:00:00Z, for example',
  });

export const duplicateObjection = (path: FieldPath, value: string): Objection =>
  createObjection(path, {
    rule: 'set',
    cause: 'FieldValueDuplicate',
    what: `${quoteUnlessName(value)} is there twice`,
    why: 'the list is a set',
    fix: 'take one out',
  });

/** Objects to a field of `node` that the schema does not have. */
export function unknownFieldObjection(path: FieldPath, node: SchemaNode): Objection {
  const name = `${path.at(-1) ?? ''}`;
  const knownFields = Object.keys(node.properties ?? {});
  const today = ownValue(node.former, name);
  const meant = findNearestWord(name, knownFields);
  const allowed = knownFields.length > 0 ? `; allowed are ${knownFields.join(', ')}` : '';
  return createObjection(path, {
    code: 'unknown-field',
    rule: 'unknown-field',
    cause: 'UnknownField',
    what: `no field ${quoteUnlessName(name)}`,
    why:
      today === undefined
        ? 'fields are strict, as kubectl asks of the API server'
        : 'it is a field of an earlier version',
    fix: today ?? (meant ? `write ${meant}` : `take it out${allowed}`),
  });
}
