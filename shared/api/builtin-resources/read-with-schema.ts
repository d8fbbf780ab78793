import * as z from 'zod';
import { findNearestWord } from '../../model/nearest-word.ts';
import {
  type FieldPath,
  type FindingText,
  type ManifestFinding,
  type ParseResult,
  PROBLEM_CODES,
  quote,
  quoteUnlessName,
  quotingFix,
} from '../finding.ts';

const refusalSchema = z.object({
  code: z.enum(PROBLEM_CODES),
  what: z.string(),
  why: z.string(),
  fix: z.string(),
});

/** Reports a refusal from inside a schema, at `path` below the current value. */
export function refuse(ctx: z.RefinementCtx, refusal: FindingText, path: FieldPath = []): void {
  ctx.addIssue({
    code: 'custom',
    message: refusal.what,
    path: [...path],
    params: { ...refusal },
    // The remaining rules of the object are still checked.
    continue: true,
  });
}

/** Reads `value` with the schema, or returns all that is wrong with it. */
export function readWithSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): ParseResult<z.output<Schema>> {
  const result = schema.safeParse(value, { reportInput: true });
  return result.success
    ? { outcome: 'read', value: result.data }
    : { outcome: 'refused', findings: result.error.issues.map(toFinding) };
}

function toFinding(issue: z.core.$ZodIssue): ManifestFinding {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : `${String(segment)}`));
  return { path, ...explainIssue(issue, path) };
}

function explainIssue(issue: z.core.$ZodIssue, path: FieldPath): FindingText {
  const field = quoteUnlessName(`${path.at(-1) ?? 'object'}`);
  switch (issue.code) {
    case 'custom': {
      const refusal = refusalSchema.safeParse(issue.params);
      return refusal.success ? refusal.data : refused(`${field} refused`, issue.message, 'change it');
    }
    case 'invalid_type':
      return wrongType(field, issue.expected, issue.input);
    case 'invalid_union':
      return wrongType(field, 'string or whole number', issue.input);
    case 'invalid_value':
      return notAmong(field, issue.values.map(String), issue.input);
    case 'too_small':
    case 'too_big':
      return outOfRange(field, issue);
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
      return refused(`${field} refused`, issue.message, 'change it');
  }
}

const refused = (what: string, why: string, fix: string): FindingText => ({
  code: 'rule-refused',
  what,
  why,
  fix,
});

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: 'whole number',
  number: 'number',
  record: 'map',
  object: 'map',
  array: 'list',
  boolean: 'true or false',
};

function wrongType(field: string, expected: string, input: unknown): FindingText {
  const typeName = TYPE_NAMES[expected] ?? expected;
  if (input === undefined) {
    return refused(`${field} is missing`, `${field} is required`, `add ${field}, a ${typeName}`);
  }
  const what = `${field} is no ${typeName}`;
  const why = `expected is a ${typeName}, found ${describe(input)}`;
  // Where a number is allowed too, quoting `true` or an infinity would not help.
  const isQuotable = typeName === 'string' && typeof input !== 'object';
  return isQuotable
    ? { ...refused(what, why, quotingFix(String(input))), isUnquoted: true }
    : refused(what, why, `write a ${typeName}`);
}

function describe(input: unknown): string {
  if (input === null) return 'nothing';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object') return 'a map';
  return typeof input === 'string' ? `the string ${quote(input)}` : `the ${typeof input} ${String(input)}`;
}

function notAmong(field: string, allowed: readonly string[], input: unknown): FindingText {
  if (input === undefined) {
    return refused(`${field} is missing`, `${field} is required`, `add it: ${allowed.join(', ')}`);
  }
  const written = typeof input === 'string' ? input : describe(input);
  const meant = findNearestWord(written, allowed);
  return {
    code: field === 'operator' ? 'unknown-operator' : 'rule-refused',
    what: `${field} ${quote(written)} is unknown`,
    why: `allowed are ${allowed.join(', ')}`,
    fix: meant ? `write ${meant}` : `write one of them`,
  };
}

function outOfRange(field: string, issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): FindingText {
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' items' : '';
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  return refused(`${field} is out of range`, `${bound}${unit} allowed`, `write ${bound}${unit}`);
}
