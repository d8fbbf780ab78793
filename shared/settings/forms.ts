import { parseGoDuration } from '../model/duration.ts';
import type { Form, Reading } from './setting.ts';

export const accept = <T>(value: T): Reading<T> => ({ outcome: 'read', value });

/**
 * @param expected - completes "must be …"
 * @param parse - returns `undefined` for a text that is not of the form
 */
export function form<T>(valid: string, expected: string, parse: (text: string) => T | undefined): Form<T> {
  const refusal = { outcome: 'refused', why: `must be ${expected}` } as const;
  return {
    valid,
    read: (text) => {
      const value = parse(text);
      return value === undefined ? refusal : accept(value);
    },
  };
}

export const choice = <const T extends string>(...values: readonly T[]): Form<T> =>
  form(values.join(', '), `one of ${values.join(', ')}`, (text) => values.find((value) => value === text));

export const TRUE_OR_FALSE: Form<boolean> = form('true, false', 'true or false', (text) =>
  text === 'true' || text === 'false' ? text === 'true' : undefined,
);

/** USD. */
export const AMOUNT: Form<number> = form('USD, 0 or more', 'an amount of 0 or more, like 0.01', (text) =>
  /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined,
);

/** 7.5 % is written as 0.075. A share of 1 would leave nothing. */
export const SHARE: Form<number> = form('a share, 0 to below 1', 'a share from 0 to below 1, like 0.075', (text) =>
  /^\d*(?:\.\d+)?$/.test(text) && text !== '' && Number(text) < 1 ? Number(text) : undefined,
);

/** Milliseconds. */
export const duration = (example: string): Form<number> =>
  form('duration', `a duration like ${example}`, parseDuration);

export const DURATION_OR_ANY: Form<number | 'Any'> = form('duration, or Any', 'a duration like 1h, or Any', (text) =>
  text === 'Any' ? text : parseDuration(text),
);

function parseDuration(text: string): number | undefined {
  const ms = parseGoDuration(text);
  return ms === undefined || ms < 0 ? undefined : ms;
}

export const wholeNumber = (min: number, max: number, unit?: string): Form<number> =>
  form(
    `${unit ?? 'whole number'}, ${min} to ${max}`,
    `a ${unit === undefined ? 'whole number' : `number of ${unit}`} from ${min} to ${max}`,
    (text) => (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
  );

/** A pattern, or another test of a text. */
type Rule = RegExp | ((text: string) => boolean);

const accepts = (rule: Rule, given: string): boolean => (rule instanceof RegExp ? rule.test(given) : rule(given));

/** A text as it is, if the rule accepts it. */
export const text = (valid: string, rule: Rule, expected: string = valid): Form<string> =>
  form(valid, expected, (given) => (accepts(rule, given) ? given : undefined));

/** Entries that are separated by commas. */
export const list = (valid: string, rule: Rule, expected: string = valid): Form<readonly string[]> =>
  form(valid, expected, (given) => {
    const entries = given === '' ? [] : given.split(',');
    return entries.every((entry) => accepts(rule, entry)) ? entries : undefined;
  });
