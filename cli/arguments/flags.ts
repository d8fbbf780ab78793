import { Command, Option } from '@commander-js/extra-typings';
import { findNearestWord } from '../../shared/model/nearest-word.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { fail } from '../errors.ts';
import type { ColorChoice } from '../terminal/terminal.ts';

/** `wide` is the text format with more columns, for commands that have them. */
export type Format = 'text' | 'wide' | 'json' | 'yaml' | 'name';

/** Flags that every command accepts. */
export interface CommonFlags {
  readonly output: Format;
  readonly color: ColorChoice | false;
  readonly pager: boolean;
  readonly input: boolean;
  readonly all?: true;
  readonly quiet?: true;
  readonly verbose?: true;
}

/** Creates a command with the common flags; the caller adds its own. */
export const commandOf = (name: string, summary: string) =>
  new Command(name)
    .description(summary)
    .addOption(
      new Option('--color <WHEN>', 'auto, always, never')
        .default('auto' as ColorChoice)
        .argParser(choiceParser('--color', ['auto', 'always', 'never'])),
    )
    .option('--no-color', 'Plain text')
    .option('--no-pager', 'Never page a long answer')
    .option('--no-input', 'Never ask: fail and name the flag that answers')
    .option('--all', 'Lists uncut')
    .option('-q, --quiet', 'Errors only')
    .option('-v, --verbose', 'Stages and timings');

/** Long names of the common flags, which help lists last. */
export const COMMON_FLAGS: ReadonlySet<string> = new Set([
  '--color',
  '--no-color',
  '--no-pager',
  '--no-input',
  '--all',
  '--quiet',
  '--verbose',
  '--help',
]);

/** `table` is an alias of `text`. */
export const outputFlag = (formats: readonly Format[] = ['text', 'json', 'yaml', 'name']) =>
  new Option('-o, --output <FORMAT>', formats.join(', '))
    .default('text' as Format)
    .argParser((value: string) => (value === 'table' ? 'text' : choiceParser('--output', formats)(value)));

export const filenameFlag = () =>
  new Option('-f, --filename <PATH>', 'File, directory, https URL or - for stdin; repeatable').argParser(collect);

/** The parser of a flag that may be given several times. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];

export const choiceParser =
  <const T extends string>(flag: string, allowed: readonly T[]) =>
  (value: string): T => {
    const chosen = allowed.find((one) => one === value);
    if (chosen !== undefined) return chosen;
    throw fail({
      code: 'bad-value',
      what: `"${value}" is not one of its values`,
      where: flag,
      why: `allowed are ${allowed.join(', ')}`,
      ...nearestFix(value, allowed),
    });
  };

function nearestFix(value: string, allowed: readonly string[]): { readonly fix?: string } {
  const nearest = findNearestWord(value, allowed);
  return nearest === undefined ? {} : { fix: nearest };
}

/** Parses a whole number between two bounds. */
export const wholeNumberParser =
  (flag: string, min: number, max: number) =>
  (value: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    const why = `allowed are whole numbers from ${min} to ${max}`;
    throw badValue(flag, value, 'is no number that fits', why);
  };

/** Virtual seconds per real second; `max` for as fast as possible. */
export type Speed = number | 'max';

export const speedParser =
  (flag: string) =>
  (value: string): Speed => {
    if (value === 'max') return 'max';
    const factor = Number(value);
    if (value.trim() !== '' && factor > 0 && factor <= 100_000) return factor;
    const why = 'allowed are numbers above 0, 100000 at most, and max';
    throw badValue(flag, value, 'is no speed', why);
  };

const UNITS_MS: Readonly<Record<string, number>> = {
  d: DAY_MS,
  h: HOUR_MS,
  m: MINUTE_MS,
  s: SECOND_MS,
  ms: 1,
};

/** Parses `90s`, `1h30m`, `7d` to milliseconds. */
export const durationParser =
  (flag: string) =>
  (value: string): number => {
    const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)];
    const isWhole = parts.map(([part]) => part).join('') === value;
    const sum = parts.reduce((total, [, amount, unit]) => total + Number(amount) * (UNITS_MS[unit ?? ''] ?? 0), 0);
    if (isWhole && sum > 0) return Math.round(sum);
    throw badValue(flag, value, 'is no duration', 'written like 90s, 1h30m or 7d, and not 0');
  };

const badValue = (flag: string, value: string, what: string, why: string) =>
  fail({ code: 'bad-value', what: `"${value}" ${what}`, where: flag, why });
