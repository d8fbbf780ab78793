import { formatFirst } from '../../shared/model/explanations/phrases.ts';
import type { UninstallReport } from '../documents/uninstall.ts';

const STEP_WIDTH = 12;

/** Formats the finished or planned steps and the remaining resources. */
export function uninstallText(report: UninstallReport): string {
  const { cluster, act, remaining } = report;
  if (!act) return `${planText(report)}nothing was changed; --yes ${cluster} does it\n`;
  return [`uninstalled from ${cluster}`, ...stepLines(report), ...remainingLines(remaining), ''].join('\n');
}

/** Formats the plan, one line per step. */
export const planText = (report: UninstallReport): string =>
  [`to uninstall from ${report.cluster}`, ...stepLines(report), ''].join('\n');

const stepLines = ({ steps }: UninstallReport): readonly string[] =>
  steps.map(({ step, outcome, detail }) => {
    const mark = outcome === 'unfinished' ? 'not finished: ' : '';
    return `  ${step.padEnd(STEP_WIDTH)}${mark}${detail}`;
  });

function remainingLines(remaining: UninstallReport['remaining']): readonly string[] {
  const groups = Map.groupBy(remaining, ({ kind, why }) => `${kind}\n${why}`);
  return [
    'remains',
    ...[...groups.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const names = group.map(({ name }) => name);
      return [`  ${first.kind} ${formatFirst(names, MAX_NAMES, ' ')}: ${first.why}`];
    }),
  ];
}

const MAX_NAMES = 10;
