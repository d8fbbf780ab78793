import { exitCodeOf, isRetriable, type Problem } from '../errors.ts';
import type { Terminal } from '../terminal/terminal.ts';

const MAX_SHOWN = 20;

export function problemsText(problems: readonly Problem[], terminal: Terminal): string {
  const shown = terminal.all ? problems : problems.slice(0, MAX_SHOWN);
  const rest = problems.length - shown.length;
  const blocks = shown.map((problem) => problemText(problem, terminal));
  return [...blocks, ...(rest > 0 ? [`and ${rest} more, --all\n`] : [])].join('');
}

function problemText({ what, where, why, fix }: Problem, { paint }: Terminal): string {
  const lines = [
    `${paint('bad', 'error:')} ${what}`,
    ...(where === undefined ? [] : [`  where: ${where}`]),
    ...(why === undefined ? [] : [`  why:   ${why}`]),
    ...(fix === undefined ? [] : [`  fix:   ${paint('good', fix)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Writes one JSON document per line for each problem. */
export const problemsJson = (problems: readonly Problem[]): string =>
  problems
    .map((problem) => {
      const { code, what, where, why, fix } = problem;
      const document = { kind: 'Error', code, what, where, why, fix };
      return `${JSON.stringify({
        ...document,
        exitCode: exitCodeOf(problem),
        retriable: isRetriable(problem),
      })}\n`;
    })
    .join('');
