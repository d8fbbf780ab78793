import { RootCommand, script } from '@bomb.sh/tab';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Returns the completion script for a shell. Only this file uses the library, which is young. */
export const completionScript = (shell: Shell): string => {
  const text = printedBy(() => script(shell, 'mortise', 'mortise'));
  // A read-only variable is an error when ~/.bashrc is read again.
  return shell === 'bash' ? text.replaceAll(/^readonly (?=\w+=)/gm, '') : text;
};

/** Lines of `value<TAB>description`, then a directive for the shell. */
export const completions = (program: CommandUnknownOpts, words: readonly string[]): string =>
  printedBy(() => describe(program).parse([...words]));

function describe(program: CommandUnknownOpts): RootCommand {
  const root = new RootCommand();
  for (const [path, command] of pathsOf(program, '')) {
    const described = root.command(path, command.description());
    for (const { name } of command.registeredArguments.map((argument) => ({
      name: argument.name(),
    }))) {
      described.argument(name);
    }
    for (const option of command.createHelp().visibleOptions(command)) {
      if (option.long) addOption(described, option);
    }
  }
  return root;
}

function addOption(described: ReturnType<RootCommand['command']>, option: CommandUnknownOpts['options'][number]): void {
  const name = option.long?.slice(2) ?? '';
  const alias = option.short?.slice(1);
  if (!option.required) {
    described.option(name, option.description, alias);
    return;
  }
  const values = valuesIn(option.description);
  described.option(
    name,
    option.description,
    (complete) => {
      for (const value of values) complete(value, '');
    },
    alias,
  );
}

/** Reads the values of a flag from its description, such as `text, json, yaml`. */
const valuesIn = (description: string): string[] =>
  /^[\w-]+(, [\w-]+)+$/.test(description) ? description.split(', ') : [];

function* pathsOf(program: CommandUnknownOpts, prefix: string): Generator<readonly [string, CommandUnknownOpts]> {
  for (const command of program.createHelp().visibleCommands(program)) {
    const path = `${prefix}${command.name()}`;
    yield [path, command];
    yield* pathsOf(command, `${path} `);
  }
}

/** The library prints to the console; this captures its output as an answer. */
function printedBy(work: () => void): string {
  const { console: shared } = globalThis;
  const lines: string[] = [];
  const { log } = shared;
  shared.log = (line: string) => lines.push(line);
  try {
    work();
  } finally {
    shared.log = log;
  }
  return lines.map((line) => `${line}\n`).join('');
}
