import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Command } from '@commander-js/extra-typings';
import { type Answer, wholeAnswer } from '../answer.ts';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import type { Run } from '../invocation.ts';
import { readConfigFiles, type SettingLayer } from '../settings/config-files.ts';
import { settingOf } from '../settings/settings.ts';
import type { Io } from '../terminal/io.ts';

export const configVerb = (run: Run, program: () => CommandUnknownOpts): Verb => ({
  command: new Command('config').description('What flags get when they are not given.').addCommand(
    commandOf('view', 'Each setting with its value and where it comes from.')
      .addOption(outputFlag(['text', 'json', 'yaml']))
      .action((flags) => run(flags, ({ io }) => configAnswer(program(), io))),
  ),
  examples: [['mortise config view', 'flag, MORTISE_<FLAG>, .mortise.yaml, your own file, default']],
});

async function configAnswer(program: CommandUnknownOpts, io: Io): Promise<Answer> {
  const { tableText } = await import('../render/table.ts');
  const layers = await readConfigFiles(io);
  const settings = flagsByName(program).map(([name, option, verb]) => {
    const setting = settingOf(option, verb, io.env, layers);
    const value: unknown = setting?.value ?? usualOf(option);
    return {
      name,
      ...(value !== undefined && { value }),
      origin: setting?.origin ?? 'default',
    };
  });
  return wholeAnswer({
    kind: 'ConfigView',
    result: { settings },
    warnings: layers.flatMap(({ origin, settings: own, refused }) => [
      ...refused.map((key) => `${origin} may not set ${key}: it is left out`),
      ...namesOfNone(own, program).map((key) => `${origin} sets ${key}, which is no flag`),
    ]),
    text: (terminal) =>
      tableText(
        ['SETTING', 'VALUE', 'ORIGIN'],
        settings.map(({ name, value, origin }) => [name, valueText(value), origin]),
        terminal,
      ),
  });
}

/** Finds keys (`flag` or `verb.flag`) that no command has. */
function namesOfNone(settings: SettingLayer['settings'], program: CommandUnknownOpts): readonly string[] {
  const knownKeys = new Set(
    program.commands.flatMap((command) =>
      command.options.flatMap(({ long = '' }) => {
        const name = long.slice(2);
        return [name, `${command.name()}.${name}`];
      }),
    ),
  );
  return [...settings.keys()].filter((key) => !knownKeys.has(key));
}

const valueText = (value: unknown): string =>
  value === undefined ? '-' : Array.isArray(value) ? value.join(', ') : String(value);

type Flag = CommandUnknownOpts['options'][number];
type Row = readonly [name: string, option: Flag, verb: string];

/**
 * Lists all flags by name; a flag whose default differs between commands appears once per command.
 */
function flagsByName(program: CommandUnknownOpts): Row[] {
  const all = program.commands.flatMap((command) =>
    command.options
      .filter(({ long, negate }) => long !== undefined && !negate)
      .map((option): Row => [option.long?.slice(2) ?? '', option, command.name()]),
  );
  return [...Map.groupBy(all, ([name]) => name)]
    .flatMap(([name, rows]) =>
      new Set(rows.map(([, option]) => usualOf(option))).size === 1
        ? rows.slice(0, 1)
        : rows.map(([, option, verb]): Row => [`${verb}.${name}`, option, verb]),
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Formats the default value of a flag. */
const usualOf = ({ defaultValue, defaultValueDescription }: Flag): unknown => defaultValueDescription ?? defaultValue;
