import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { COMMON_FLAGS } from './flags.ts';

/** A command line and its explanation. */
export type Example = readonly [line: string, comment: string];

/** A command with the examples that its help shows before the flags. */
export interface Verb {
  readonly command: CommandUnknownOpts;
  readonly examples: readonly Example[];
}

export const helpOf = (command: CommandUnknownOpts, examples: readonly Example[]): string =>
  command.parent ? helpOfCommand(command, examples) : helpOfProgram(command, examples);

/** Formats the help of the program to fit one screen. */
function helpOfProgram(program: CommandUnknownOpts, examples: readonly Example[]): string {
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => [command.name(), command.description()] as const);
  return [
    program.description(),
    'Usage: mortise VERB [KIND NAME...] [flags]',
    ...examplesIn(examples),
    'Commands:',
    ...columns(commands),
    '',
    'mortise help VERB shows examples and flags of one command.',
    '',
  ].join('\n');
}

function helpOfCommand(command: CommandUnknownOpts, examples: readonly Example[]): string {
  const flags = command.createHelp().visibleOptions(command);
  const own = flags.filter(({ long }) => !COMMON_FLAGS.has(long ?? ''));
  const common = flags.filter(({ long }) => COMMON_FLAGS.has(long ?? ''));
  const verbs = command.commands.map((verb) => [verb.name(), verb.description()] as const);
  return [
    command.description(),
    `Usage: ${usageOf(command)}`,
    ...examplesIn(examples),
    ...section('Commands:', columns(verbs)),
    ...section('Flags:', columns(own.map(rowOf))),
    ...section('Flags of every command:', columns(common.map(rowOf))),
    '',
  ].join('\n');
}

function usageOf(command: CommandUnknownOpts): string {
  const path = [];
  for (let at: CommandUnknownOpts | null = command; at; at = at.parent) path.unshift(at.name());
  const parameters = command.registeredArguments.map((argument) =>
    argument.required ? argument.name().toUpperCase() : `[${argument.name().toUpperCase()}]`,
  );
  const verb = command.commands.length > 0 ? ['VERB'] : [];
  return [...path, ...verb, ...parameters, '[flags]'].join(' ');
}

const examplesIn = (examples: readonly Example[]): string[] =>
  section('Examples:', columns(examples.map(([line, why]) => [line, `# ${why}`])));

const rowOf = (flag: {
  short?: string | undefined;
  flags: string;
  description: string;
  defaultValue?: unknown;
  defaultValueDescription?: string | undefined;
  negate: boolean;
}): readonly [string, string] => {
  const term = flag.flags.replaceAll(/[<>]/g, '');
  const hasDefault = ['string', 'number'].includes(typeof flag.defaultValue);
  const usual = flag.defaultValueDescription ?? flag.defaultValue;
  return [
    flag.short === undefined ? `    ${term}` : term,
    hasDefault && !flag.negate ? `${flag.description} (${usual})` : flag.description,
  ];
};

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([leftColumn]) => leftColumn.length));
  return rows.map(([leftColumn, right]) => `  ${leftColumn.padEnd(width + 3)}${right}`.trimEnd());
}

const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [title, ...lines]);
