import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { findNearestWord } from '../../shared/model/nearest-word.ts';
import { type CliError, fail } from '../errors.ts';

/**
 * Turns commander's errors into errors of the command; only this file reads commander's messages.
 *
 * @returns undefined if help or the version was requested and printed
 */
export function usageErrorOf(error: CommanderError, program: CommandUnknownOpts): CliError | undefined {
  const [quoted = ''] = quotedIn(error.message);
  const command = calledCommand(program);
  const where = pathOf(command);
  switch (error.code) {
    case 'commander.helpDisplayed':
    case 'commander.version':
      return undefined;
    // A command with subcommands was called without one.
    case 'commander.help':
      return fail({ code: 'missing-argument', what: 'VERB is missing', where, fix: helpOn(where) });
    case 'commander.unknownOption':
      return unknownFlag(quoted, where, command);
    case 'commander.unknownCommand':
      return unknownCommand(quoted, command);
    case 'commander.missingArgument':
      return fail({
        code: 'missing-argument',
        what: `${quoted.toUpperCase()} is missing`,
        where,
        fix: helpOn(where),
      });
    case 'commander.optionMissingArgument':
      return fail({
        code: 'missing-value',
        what: `no value for \`${quoted}\``,
        where,
        fix: helpOn(where),
      });
    case 'commander.excessArguments':
      return excessArguments(error.message, where, command);
    default:
      return fail({ code: 'bad-value', what: error.message.replace(/^error: /, ''), where });
  }
}

/**
 * @param parent - the command that has no such subcommand
 */
export const unknownCommand = (name: string, parent: CommandUnknownOpts): CliError => {
  const similar = didYouMean(
    name,
    parent.commands.map((command) => command.name()),
  );
  const where = pathOf(parent);
  const words = where === 'mortise' ? where : `mortise ${where}`;
  return fail({
    code: 'unknown-command',
    what: `no command \`${name}\``,
    where,
    fix: similar === undefined ? helpOn(where) : `${words} ${similar}`,
  });
};

function unknownFlag(flag: string, where: string, command: CommandUnknownOpts): CliError {
  const candidates = command.options.flatMap(({ long }) => long ?? []);
  const verb = command.commands.find((one) => `--${one.name()}` === flag);
  return fail({
    code: 'unknown-flag',
    what: `no flag \`${flag}\``,
    where,
    fix: verb ? `mortise ${pathOf(verb)}` : (didYouMean(flag.split('=')[0] ?? flag, candidates) ?? helpOn(where)),
  });
}

/** Most often a path, because other commands accept one without a flag. */
function excessArguments(message: string, where: string, command: CommandUnknownOpts): CliError {
  const [, expected = '0', given = ''] =
    /^error: too many arguments.*?\. Expected (\d+) arguments? but got \d+: (.*?)\.?$/.exec(message) ?? [];
  const excess = given.split(', ').slice(Number(expected));
  const takesFiles = command.options.some(({ long }) => long === '--filename');
  return fail({
    code: 'unexpected-argument',
    what: `too many arguments: ${excess.join(', ')}`,
    where,
    fix: takesFiles ? `-f ${excess.join(' -f ')}` : helpOn(where),
  });
}

const helpOn = (where: string): string => (where === 'mortise' ? 'mortise help' : `mortise help ${where}`);

/**
 * Returns the command as it is called, such as `config view`; the program's name for the program.
 */
function pathOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

const quotedIn = (message: string): string[] => [...message.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted ?? '');

/** Finds the called command, down to the last subcommand. */
function calledCommand(program: CommandUnknownOpts): CommandUnknownOpts {
  const called = program.commands.find((command) => command.name() === program.args[0]);
  return called ? calledCommand(called) : program;
}

/** Finds the known word that is closest to `word`; undefined if none is close. */
export const didYouMean = (word: string, candidates: readonly string[]): string | undefined =>
  findNearestWord(word, candidates) ?? candidates.find((candidate) => isWholeWordOf(candidate, word));

/** The error for a name that does not exist. It proposes the nearest that does, else `otherwise`. */
export function noSuchName(
  kind: string,
  name: string,
  where: string,
  names: readonly string[],
  otherwise: string,
): CliError {
  const similar = didYouMean(name, names);
  return fail({
    code: 'not-found',
    what: `no ${kind} ${name}`,
    where,
    fix: similar === undefined ? otherwise : `did you mean ${similar}`,
  });
}

/** True for `--context` and `--kube-context`. */
const isWholeWordOf = (candidate: string, word: string): boolean =>
  dashless(candidate).length > 2 && dashless(word).split('-').includes(dashless(candidate));

const dashless = (flag: string): string => flag.replace(/^-+/, '');
