/**
 * Facts about a request besides action and resource: values by condition key. A list means
 * a key with several values.
 */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

/** Compares one value of the request with one value of the policy. */
type Comparison = (actual: string, expected: string) => boolean;

const expressions = new Map<string, RegExp>();

/** `*` matches any text, `?` one character. */
export function matchesPattern(text: string, pattern: string): boolean {
  let expression = expressions.get(pattern);
  if (!expression) {
    const parts = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    expression = new RegExp(`^${parts.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
    expressions.set(pattern, expression);
  }
  return expression.test(text);
}

/** Each of the six parts of an ARN is compared by itself: a `*` does not span colons. */
export function matchesArn(arn: string, pattern: string): boolean {
  const [actual, expected] = [arn, pattern].map(splitArn);
  return (expected ?? []).every((part, index) => matchesPattern(actual?.[index] ?? '', part));
}

function splitArn(arn: string): readonly string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}

const equals: Comparison = (actual, expected) => actual === expected;

/**
 * The comparisons that the policies use. `not` marks operators that hold if no value matches.
 *
 * @see docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
const OPERATORS: Readonly<Record<string, { readonly compare: Comparison; readonly not?: true }>> = {
  StringEquals: { compare: equals },
  StringNotEquals: { compare: equals, not: true },
  StringLike: { compare: matchesPattern },
  StringNotLike: { compare: matchesPattern, not: true },
  ArnEquals: { compare: matchesArn },
  ArnLike: { compare: matchesArn },
  ArnNotLike: { compare: matchesArn, not: true },
  Bool: { compare: (actual, expected) => actual.toLowerCase() === expected.toLowerCase() },
};

/**
 * Tells whether one line of a condition block holds.
 *
 * @throws Error - the operator is none of those above, or a value has a policy variable
 */
export function holds(operator: string, key: string, expected: readonly string[], context: RequestContext): boolean {
  const actual = findValues(key, context);
  if (operator === 'Null') return (actual === undefined) === (expected[0] === 'true');
  if (expected.some((value) => value.includes('${'))) {
    throw new Error(`policy variables are not evaluated: ${expected.join()}`);
  }

  const [, set, name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  const comparison = OPERATORS[name];
  if (!comparison) throw new Error(`the condition operator ${operator} is not evaluated`);
  const { compare, not = false } = comparison;
  const matches = (value: string): boolean => expected.some((other) => compare(value, other));

  // A set without values passes ForAllValues and fails ForAnyValue.
  if (set === 'ForAllValues') return (actual ?? []).every((value) => matches(value) !== not);
  if (set === 'ForAnyValue') return (actual ?? []).some((value) => matches(value) !== not);
  if (actual === undefined) return ifExists !== undefined || not;
  if (not) return !actual.some(matches);
  return actual.length === 1 && actual.every(matches);
}

/** Keys are compared without case; the part after a slash is a tag's key, whose case counts. */
function findValues(key: string, context: RequestContext): readonly string[] | undefined {
  const [, value] = Object.entries(context).find(([name]) => isSameKey(name, key)) ?? [];
  return value === undefined ? undefined : [value].flat();
}

function isSameKey(one: string, other: string): boolean {
  const [[prefix = '', ...rest], [otherPrefix = '', ...otherRest]] = [one.split('/'), other.split('/')];
  return prefix.toLowerCase() === otherPrefix.toLowerCase() && rest.join('/') === otherRest.join('/');
}
