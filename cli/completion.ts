import { RootCommand, script } from '@bomb.sh/tab';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** What a shell sources to complete `mortise`. The library is young: it is used here alone. */
export const completionScript = (shell: Shell): string =>
  printedBy(() => script(shell, 'mortise', 'mortise'));

/** Lines of `value<TAB>description`, then a directive to the shell. */
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

function addOption(
  described: ReturnType<RootCommand['command']>,
  option: CommandUnknownOpts['options'][number],
): void {
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

/** Flags with a few values list them as their description: `text, json, yaml`. */
const valuesIn = (description: string): string[] =>
  /^[\w-]+(, [\w-]+)+$/.test(description) ? description.split(', ') : [];

function* pathsOf(
  program: CommandUnknownOpts,
  prefix: string,
): Generator<readonly [string, CommandUnknownOpts]> {
  for (const command of program.createHelp().visibleCommands(program)) {
    const path = `${prefix}${command.name()}`;
    yield [path, command];
    yield* pathsOf(command, `${path} `);
  }
}

/** The library prints to the console by itself; here its words become an answer like any other. */
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
