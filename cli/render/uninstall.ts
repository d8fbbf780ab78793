import type { UninstallReport } from '../documents/uninstall.ts';

const STEP_WIDTH = 12;

/** One line for a step, then what remains, of a kind each. */
export function uninstallText({ cluster, act, steps, remaining }: UninstallReport): string {
  const lines = [
    act ? `uninstalled from ${cluster}` : `to uninstall from ${cluster}`,
    ...steps.map(({ step, outcome, detail }) => {
      const mark = outcome === 'unfinished' ? 'not finished: ' : '';
      return `  ${step.padEnd(STEP_WIDTH)}${mark}${detail}`;
    }),
    ...(act ? remainingLines(remaining) : []),
    ...(act ? [] : [`nothing was changed; --yes ${cluster} does it`]),
  ];
  return `${lines.join('\n')}\n`;
}

function remainingLines(remaining: UninstallReport['remaining']): readonly string[] {
  const groups = Map.groupBy(remaining, ({ kind, why }) => `${kind}\n${why}`);
  return [
    'remains',
    ...[...groups.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const names = group.map(({ name }) => name);
      const shown = names.slice(0, MOST_NAMES).join(' ');
      const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
      return [`  ${first.kind} ${shown}${rest}: ${first.why}`];
    }),
  ];
}

const MOST_NAMES = 10;
