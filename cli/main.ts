import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommanderError } from '@commander-js/extra-typings';
import type { Answer } from './answer.ts';
import type { CommonFlags } from './arguments/flags.ts';
import { usageErrorOf } from './arguments/usage-errors.ts';
import { verbFirst } from './arguments/verb-first.ts';
import { CliError, defectOf, EXIT, type ExitCode, exitCodeOfAll } from './errors.ts';
import type { Run } from './invocation.ts';
import { buildProgram } from './program.ts';
import { renderAnswer } from './render/answer.ts';
import { problemsJson, problemsText } from './render/problems.ts';
import { exitCodeOfSignal } from './signals.ts';
import { escapeControls } from './terminal/escape-controls.ts';
import type { Io } from './terminal/io.ts';
import { page, pagerFor } from './terminal/pager.ts';
import { progressOn, SILENT } from './terminal/progress.ts';
import { type Terminal, terminalOf } from './terminal/terminal.ts';

/**
 * Runs one call of the command. Never throws.
 *
 * @param argv - the arguments without the program's name
 * @param stop - aborted with the name of the signal that ends the process
 * @param grant - called with the time that the end may take, if that is longer than the default
 */
export async function main(
  argv: readonly string[],
  io: Io,
  stop: AbortSignal,
  grant: (ms: number) => void = () => {},
): Promise<ExitCode> {
  let code: ExitCode = EXIT.answered;
  const program = buildProgram(io, async (flags, work) => {
    code = await runCommand(flags, work, io, { stop, grant });
  });
  try {
    const words = argv.length === 0 ? ['--help'] : verbFirst(argv, program);
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return await tellError(error, argv, io, program);
  }
}

async function runCommand(
  flags: CommonFlags,
  work: Parameters<Run>[1],
  io: Io,
  { stop, grant }: { readonly stop: AbortSignal; readonly grant: (ms: number) => void },
): Promise<ExitCode> {
  const terminal = terminalOf(io.stdout, io.env, terminalFlags(flags));
  const progress = flags.quiet ? SILENT : progressOn(io.stderr);
  const note = (text: string): void => {
    if (!flags.quiet) io.stderr.write(`${escapeControls(text)}\n`);
  };
  const detail = (text: string): void => {
    if (flags.verbose) note(text);
  };
  const answer = await work({ io, progress, stop, grant, note, detail }).finally(() => progress.end());

  await print(answer, flags, io, terminal);
  for (const warning of answer.warnings) note(`warning: ${warning}`);
  if (answer.afterwards) {
    if (answer.graceMs !== undefined) grant(answer.graceMs);
    await answer.afterwards(stop);
    return answer.exitCode ?? EXIT.answered;
  }
  if (stop.aborted) return exitCodeOfSignal(stop.reason);
  return answer.exitCode ?? (answer.complete ? EXIT.answered : EXIT.inPart);
}

async function print(answer: Answer, flags: CommonFlags, io: Io, terminal: Terminal): Promise<void> {
  const rendered = await renderAnswer(answer, flags.output, terminal);
  // Manifests and documents reach a file or another program unchanged.
  const isForPeople = terminal.isTty || PEOPLE_FORMATS.has(flags.output);
  const text = isForPeople ? escapeControls(rendered, isColored(terminal)) : rendered;
  const pager = flags.pager ? pagerFor(text, terminal, io.env) : undefined;
  if (pager !== undefined && (await page(text, pager))) return;
  io.stdout.write(text);
}

const PEOPLE_FORMATS: ReadonlySet<CommonFlags['output']> = new Set(['text', 'wide', 'name']);

const isColored = ({ paint }: Terminal): boolean => paint('bad', 'x') !== 'x';

async function tellError(
  error: unknown,
  argv: readonly string[],
  io: Io,
  program: CommandUnknownOpts,
): Promise<ExitCode> {
  const settings = error instanceof CommanderError ? usageErrorOf(error, program) : error;
  if (settings === undefined) return EXIT.answered;
  const { problems } = settings instanceof CliError ? settings : await explainOther(settings, argv);
  const terminal = errorTerminal(argv, io);
  io.stderr.write(
    wantsJson(argv, io.env)
      ? escapeControls(problemsJson(problems))
      : escapeControls(problemsText(problems, terminal), isColored(terminal)),
  );
  return exitCodeOfAll(problems);
}

/** Controllers throw errors of AWS as they are. */
async function explainOther(error: unknown, argv: readonly string[]): Promise<CliError> {
  const { findAwsProblem } = await import('./cluster/aws-problems.ts');
  return findAwsProblem(error) ?? defectOf(error, argv);
}

// A call that could not be parsed has no flags, so these are read from the raw arguments.
const wantsJson = (argv: readonly string[], env: Io['env']): boolean =>
  /(^| )(-o ?|--output[ =])json( |$)/.test(argv.join(' ')) || env.MORTISE_OUTPUT === 'json';

const errorTerminal = (argv: readonly string[], io: Io): Terminal =>
  terminalOf(io.stderr, io.env, {
    all: argv.includes('--all'),
    ...(argv.includes('--no-color') && { color: 'never' as const }),
    ...(/--color[ =]always/.test(argv.join(' ')) && { color: 'always' as const }),
  });

const terminalFlags = ({ color, all }: CommonFlags) => ({
  color: color === false ? ('never' as const) : color,
  ...(all !== undefined && { all }),
});
