import { escapeControlCharacters } from '../../shared/api/finding.ts';
import type { ValidatedObject, Validation } from '../documents/validation.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, countText } from './numbers.ts';

/** Formats a line for each problem, and the number of objects by verdict last. */
export const validationText = ({ objects }: Validation, terminal: Terminal): string =>
  [...objects.flatMap((object) => problemLines(object, terminal)), summaryOf(objects)]
    .map((line) => `${line}\n`)
    .join('');

const problemLines = (
  { file, kind = '', name = '', problems }: ValidatedObject,
  { paint }: Terminal,
): readonly string[] =>
  problems.map(({ rule, severity, stage, path, line, column, why, fix }) => {
    const error = stage === 'admission' ? 'refused' : 'unusable';
    const verdict = severity === 'error' ? paint('bad', error) : paint('warn', 'warning');
    const object = [kind, name].filter((part) => part !== '').join('/');
    const subject = [object, path].filter((part) => part !== '').join(' ') || 'document';
    const shown = escapeControlCharacters(`${subject}: ${textOf(rule, why)}`);
    return `${file}:${line}:${column} ${verdict} ${shown}; ${paint('good', escapeControlCharacters(fix))}`;
  });

/** Names the rule if `mortise reasons` knows it. */
const textOf = (rule: string, why: string): string => (/^[A-Z]+-/.test(rule) ? `${rule} ${why}` : why);

function summaryOf(objects: readonly ValidatedObject[]): string {
  const count = (one: ValidatedObject['verdict']): number => objects.filter(({ verdict }) => verdict === one).length;
  const warnings = objects.flatMap(({ problems }) => problems).filter(({ severity }) => severity === 'warning').length;
  const unusable = count('unusable');
  const notJudged = count('not-judged');
  return [
    `${counted(objects.length, 'object')}: ${countText(count('accepted'))} accepted`,
    `${countText(count('refused'))} refused`,
    ...(unusable > 0 ? [`${countText(unusable)} unusable`] : []),
    ...(notJudged > 0 ? [`${countText(notJudged)} not judged`] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
}
