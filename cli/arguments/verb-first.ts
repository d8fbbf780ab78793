import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Allows flags anywhere: `mortise -o json simulate` is `mortise simulate -o json`. */
export function verbFirst(argv: readonly string[], program: CommandUnknownOpts): string[] {
  const takesValue = new Set(
    program.commands.flatMap((command) =>
      command.options.filter(({ required }) => required).flatMap(({ short, long }) => [short, long]),
    ),
  );
  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] ?? '';
    if (token === '--') break;
    if (!token.startsWith('-')) {
      return [token, ...argv.slice(0, index), ...argv.slice(index + 1)];
    }
    if (takesValue.has(token)) index++;
  }
  return [...argv];
}
