import type { ExplainedFix, Explanation } from '../../shared/explain/explanation.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import type { Terminal } from '../terminal/terminal.ts';

const INDENT = '     ';

/** Formats verdict, reasons, evidence, fixes, and what happens next. */
export function explanationText(explanation: Explanation, { paint }: Terminal): string {
  const { verdict, reasons, evidence, fixes, next, alternative, basis } = explanation;
  const isBad = explanation.outcome === 'pending' || explanation.outcome === 'not-ready';
  const lines = [
    paint(isBad ? 'warn' : 'good', verdict),
    ...columns(reasons.map(({ object, reason }) => [object, reason.code, formatReason(reason)])),
    ...columns(evidence.map(({ label, text }) => [paint('quiet', label), text])),
    ...(alternative ? [`without it: ${alternative.text}`] : []),
    ...fixes.flatMap((fix, index) => fixLines(fix, index === 0)),
    ...(fixes.length === 0 && reasons.length > 0 ? ['fix: no single change helps'] : []),
    `next: ${next.text}`,
    ...(basis ? [paint('quiet', basis.text)] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const fixLines = ({ text, patch }: ExplainedFix, isFirst: boolean): readonly string[] => [
  `${isFirst ? 'fix: ' : 'or:  '}${text}`,
  ...(patch?.split('\n').map((line) => `${INDENT}${line}`) ?? []),
];

/** Aligns all cells but the last of each row. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((text, column) => (column === row.length - 1 ? text : text.padEnd(widths[column] ?? 0)));
    return `  ${cells.filter((text) => text !== '').join('  ')}`;
  });
}
