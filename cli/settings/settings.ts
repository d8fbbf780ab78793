import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CliError, fail } from '../errors.ts';
import type { Io } from '../terminal/io.ts';
import type { Setting, SettingLayer } from './config-files.ts';

type AnyOption = CommandUnknownOpts['options'][number];

/** Flags that must be given with each call and cannot be set elsewhere. */
const NEVER_SET: ReadonlySet<string> = new Set(['help', 'yes', 'crds', 'take-over']);

/**
 * Fills in missing flags from `MORTISE_<FLAG>`, then from the files, the nearest first.
 *
 * @throws CliError - `bad-value`: a value that its flag refuses; `bad-config`
 */
export function applySettings(command: CommandUnknownOpts, env: Io['env'], layers: readonly SettingLayer[]): void {
  for (const option of command.options) {
    if (isGiven(command, option)) continue;
    const setting = settingOf(option, command.name(), env, layers);
    if (setting) assign(command, option, setting);
  }
}

/** Finds the value of a flag that was not given, and its origin. */
export function settingOf(
  option: AnyOption,
  verb: string,
  env: Io['env'],
  layers: readonly SettingLayer[],
): Setting | undefined {
  const name = option.long?.slice(2) ?? '';
  if (NEVER_SET.has(name)) return undefined;
  const variable = variableOf(name);
  const fromEnv = env[variable];
  if (fromEnv !== undefined && fromEnv !== '') return { value: fromEnv, origin: variable };
  for (const { origin, settings } of layers) {
    const value = settings.get(`${verb}.${name}`) ?? settings.get(name);
    if (value !== undefined) return { value, origin };
  }
  return undefined;
}

/** `--fail-on` becomes `MORTISE_FAIL_ON`. */
const variableOf = (name: string): string => `MORTISE_${name.toUpperCase().replaceAll('-', '_')}`;

// `--color` and `--no-color` share one value, so either counts as given.
const isGiven = (command: CommandUnknownOpts, option: AnyOption): boolean =>
  command.getOptionValueSource(option.attributeName()) === 'cli';

function assign(command: CommandUnknownOpts, option: AnyOption, { value, origin }: Setting): void {
  const key = option.attributeName();
  const takesValue = option.required || option.optional;
  if (!takesValue) {
    const isOn = switchOf(value, option, origin);
    if (isOn) command.setOptionValueWithSource(key, !option.negate, 'config');
    return;
  }
  const texts = Array.isArray(value) ? value : [value];
  let parsed: unknown;
  for (const text of texts) parsed = parse(option, String(text), parsed, origin);
  command.setOptionValueWithSource(key, parsed, 'config');
}

function parse(option: AnyOption, text: string, previous: unknown, origin: string): unknown {
  try {
    return option.parseArg ? option.parseArg(text, previous) : text;
  } catch (cause) {
    throw fail(
      {
        code: 'bad-value',
        what: `"${text}" is no value for --${option.long?.slice(2)}`,
        where: origin,
        ...whyOf(cause),
      },
      { cause },
    );
  }
}

/** The message that the flag itself would give. */
function whyOf(cause: unknown): { readonly why?: string } {
  if (cause instanceof CliError) {
    const [problem] = cause.problems;
    return { why: problem?.why ?? cause.message };
  }
  return cause instanceof Error ? { why: cause.message } : {};
}

function switchOf(value: unknown, option: AnyOption, origin: string): boolean {
  const text = String(value);
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw fail({
    code: 'bad-value',
    what: `"${text}" switches nothing`,
    where: `${origin}, ${option.long}`,
    why: 'allowed are true, false, 1, 0',
  });
}
