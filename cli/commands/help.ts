import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Verb } from '../arguments/help.ts';
import { unknownCommand } from '../arguments/usage-errors.ts';

export const helpVerb = (program: () => CommandUnknownOpts): Verb => ({
  command: new Command('help')
    .description('Examples and flags of one command.')
    .argument('[verb...]')
    .action((words) => commandAt(program(), words).outputHelp()),
  examples: [['mortise help simulate', 'the same as mortise simulate --help']],
});

function commandAt(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((verbs) => verbs.name() === word);
    if (!next) throw unknownCommand(word, command);
    command = next;
  }
  return command;
}
