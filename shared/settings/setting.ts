import type { ParseText } from '../api/default-spread.ts';

/** `why` completes "The option … is …; it …", as `must be true or false`. */
export type Reading<T> = { readonly outcome: 'read'; readonly value: T } | RefusedSetting;

export interface RefusedSetting {
  readonly outcome: 'refused';
  readonly why: string;
}

/** The texts that a setting accepts, and the values that they mean. */
export interface Form<T> {
  /** For tables of readers: `true, false`, `duration`. */
  readonly valid: string;
  /** True if the text may be YAML. The functions get it as JSON, so that they load no YAML parser. */
  readonly isDocument?: true;
  readonly read: (text: string, parse: ParseText) => Reading<T>;
}

/** An option of the stack: the one place of its form, its default and its meaning. */
export interface StackOption<T = unknown> {
  readonly form: Form<T>;
  /** The text that counts if none is given; the value is `undefined` without one. */
  readonly usual?: string;
  readonly isRequired?: true;
  /** A default that no text of the form expresses, for readers. */
  readonly byDefault?: string;
  readonly meaning: string;
}

/**
 * A setting that functions or controller read: the one place of its names, its form, its default and its
 * meaning. Stack, functions, controller, schema of the chart and reference pages derive from it.
 */
export interface Setting<T = unknown> extends StackOption<T> {
  /** The environment variable, by Karpenter's name if it has one. */
  readonly variable: string;
  /** The context option of `cdk deploy -c`, and of `settings` of the construct; `undefined` for none. */
  readonly option?: string;
  /** Appended to an option that is a bare number. */
  readonly unit?: 'ms';
  /** How `mortise controller` takes it; `undefined` if it does not. */
  readonly controller?: 'variable' | `--${string}`;
}

export type SettingTable = Readonly<Record<string, Setting>>;

type ValueOf<S extends StackOption> =
  S extends StackOption<infer T> ? (S extends { readonly usual: string } ? T : T | undefined) : never;

export type ValuesOf<Table extends Readonly<Record<string, StackOption>>> = {
  readonly [Name in keyof Table]: ValueOf<Table[Name]>;
};

/**
 * Reads a text; an empty one means the default.
 *
 * @returns the value, with the refusal of a text whose place the default takes
 */
export function readOrDefault(
  option: StackOption,
  text: string,
  parse: ParseText,
): { readonly value?: unknown; readonly refused?: RefusedSetting } {
  const { form, usual, isRequired } = option;
  const given = text || usual;
  if (given === undefined && !isRequired) return {};
  const reading = form.read(given ?? '', parse);
  if (reading.outcome === 'read') return reading;
  return { refused: reading, value: text === '' ? undefined : readOrDefault(option, '', parse).value };
}

/** A variable with an invalid value. */
export interface SettingProblem {
  readonly variable: string;
  readonly why: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface SettingsReading<Table extends SettingTable> {
  /** Variables with problems have their defaults. */
  readonly values: ValuesOf<Table>;
  readonly problems: readonly SettingProblem[];
}

/**
 * Reads the settings of a table from environment variables. An empty variable counts as not set.
 *
 * @param parse - for settings that are documents; the functions get them as JSON
 */
export function readSettings<const Table extends SettingTable>(
  table: Table,
  env: Environment,
  parse: ParseText = JSON.parse,
): SettingsReading<Table> {
  const problems: SettingProblem[] = [];
  const entries = Object.entries(table).map(([name, setting]) => {
    const { variable } = setting;
    const { value, refused } = readOrDefault(setting, env[variable] ?? '', parse);
    if (refused) problems.push({ variable, why: refused.why });
    return [name, value] as const;
  });
  // Each name has the value that the form of its setting returns.
  return { values: Object.fromEntries(entries) as ValuesOf<Table>, problems };
}
