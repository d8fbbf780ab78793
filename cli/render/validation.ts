import { escapeControlCharacters } from '../../shared/api/finding.ts';
import type { ValidatedObject, Validation } from '../documents/validation.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, countText } from './numbers.ts';

/** Formats a line for each problem, and the number of accepted and refused objects last. */
export const validationText = ({ objects }: Validation, terminal: Terminal): string =>
  [...objects.flatMap((object) => problemLines(object, terminal)), summaryOf(objects)]
    .map((line) => `${line}\n`)
    .join('');

const problemLines = (
  { file, kind = '', name = '', problems }: ValidatedObject,
  { paint }: Terminal,
): readonly string[] =>
  problems.map(({ rule, severity, path, line, column, why, fix }) => {
    const verdict = severity === 'error' ? paint('bad', 'refused') : paint('warn', 'warning');
    const object = [kind, name].filter((part) => part !== '').join('/');
    const subject = [object, path].filter((part) => part !== '').join(' ') || 'document';
    const shown = escapeControlCharacters(`${subject}: ${textOf(rule, why)}`);
    return `${file}:${line}:${column} ${verdict} ${shown}; ${paint('good', escapeControlCharacters(fix))}`;
  });

/** Names the rule if `mortise reasons` knows it. */
const textOf = (rule: string, why: string): string =>
  /^[A-Z]+-/.test(rule) ? `${rule} ${why}` : why;

function summaryOf(objects: readonly ValidatedObject[]): string {
  const refused = objects.filter(({ verdict }) => verdict === 'refused').length;
  const warnings = objects
    .flatMap(({ problems }) => problems)
    .filter(({ severity }) => severity === 'warning').length;
  const notJudged = objects.filter(({ verdict }) => verdict === 'not-judged').length;
  return [
    `${counted(objects.length, 'object')}: ${countText(objects.length - refused - notJudged)} accepted`,
    `${countText(refused)} refused`,
    ...(notJudged > 0 ? [`${countText(notJudged)} not judged`] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
}
