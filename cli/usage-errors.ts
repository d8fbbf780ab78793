import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { didYouMean } from './did-you-mean.ts';
import { type CliError, fail } from './errors.ts';

/**
 * Says in our words what commander refused; its messages are read here and nowhere else.
 *
 * @returns undefined if nothing was refused: help was asked for and given
 */
export function usageErrorOf(
  error: CommanderError,
  program: CommandUnknownOpts,
): CliError | undefined {
  const [quoted = ''] = quotedIn(error.message);
  const command = calledCommand(program);
  const where = command === program ? 'mortise' : command.name();
  switch (error.code) {
    case 'commander.help':
    case 'commander.helpDisplayed':
      return undefined;
    case 'commander.unknownOption':
      return unknownFlag(quoted, where, command);
    case 'commander.unknownCommand':
      return unknownCommand(quoted, program);
    case 'commander.missingArgument':
      return fail({
        code: 'missing-argument',
        what: `${quoted.toUpperCase()} is missing`,
        where,
        fix: helpOn(where),
      });
    case 'commander.optionMissingArgument':
      return fail({ code: 'missing-value', what: `no value for \`${quoted}\``, where });
    case 'commander.excessArguments':
      return excessArguments(error.message, where, command);
    default:
      return fail({ code: 'bad-value', what: error.message.replace(/^error: /, ''), where });
  }
}

export const unknownCommand = (name: string, program: CommandUnknownOpts): CliError => {
  const similar = didYouMean(
    name,
    program.commands.map((command) => command.name()),
  );
  return fail({
    code: 'unknown-command',
    what: `no command \`${name}\``,
    where: 'mortise',
    fix: similar === undefined ? 'mortise help' : `mortise ${similar}`,
  });
};

function unknownFlag(flag: string, where: string, command: CommandUnknownOpts): CliError {
  const known = command.options.flatMap(({ long }) => (long === undefined ? [] : [long]));
  return fail({
    code: 'unknown-flag',
    what: `no flag \`${flag}\``,
    where,
    fix: didYouMean(flag.split('=')[0] ?? flag, known) ?? helpOn(where),
  });
}

/** Most often a path, as other commands take one without a flag. */
function excessArguments(message: string, where: string, command: CommandUnknownOpts): CliError {
  const excess = message
    .replace(/^error: too many arguments[^.]*\. Expected \d+ arguments? but got \d+: /, '')
    .replace(/\.$/, '');
  const takesFiles = command.options.some(({ long }) => long === '--filename');
  return fail({
    code: 'unexpected-argument',
    what: `too many arguments: ${excess}`,
    where,
    fix: takesFiles ? `-f ${excess.split(', ').join(' -f ')}` : helpOn(where),
  });
}

const helpOn = (where: string): string =>
  where === 'mortise' ? 'mortise help' : `mortise help ${where}`;

const quotedIn = (message: string): string[] =>
  [...message.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted ?? '');

/** The command that was called, down to the last verb. */
function calledCommand(program: CommandUnknownOpts): CommandUnknownOpts {
  const called = program.commands.find((command) => command.name() === program.args[0]);
  return called ? calledCommand(called) : program;
}
