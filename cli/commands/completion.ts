import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { wholeAnswer } from '../answer.ts';
import type { CommonFlags } from '../arguments/flags.ts';
import { choiceParser, commandOf } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import type { Run } from '../invocation.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completionVerb = (run: Run): Verb => ({
  command: commandOf('completion', 'A script that completes commands and flags in your shell.')
    .addArgument(new Argument('<shell>', SHELLS.join(', ')).argParser(choiceParser('SHELL', SHELLS)))
    .action((shell, flags) =>
      run({ ...flags, output: 'text' }, async () => {
        const { completionScript } = await import('../arguments/completion.ts');
        return plainText('CompletionScript', completionScript(shell));
      }),
    ),
  examples: [
    ['source <(mortise completion bash)', 'for this shell; in ~/.bashrc for all'],
    ['mortise completion fish > ~/.config/fish/completions/mortise.fish', 'for fish'],
  ],
});

const NO_FLAGS: CommonFlags = { output: 'text', color: 'auto', pager: false, input: false };

/** The command that completion scripts call: `mortise complete -- simulate --s`. */
export const completeVerb = (run: Run, program: () => CommandUnknownOpts): CommandUnknownOpts =>
  new Command('complete')
    .argument('[words...]')
    .allowUnknownOption()
    .action((words) =>
      run(NO_FLAGS, async () => {
        const { completions } = await import('../arguments/completion.ts');
        return plainText('Completions', completions(program(), words));
      }),
    );

const plainText = (kind: string, text: string) => wholeAnswer({ kind, result: { text }, text: () => text });
