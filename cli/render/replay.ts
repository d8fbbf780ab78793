import type { PlanSummary, Replay } from '../documents/replay.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, countText, usdText } from './numbers.ts';

/** Names each decision that differs, and counts them last. @param isChanged - by `--set` */
export function replayText({ decisions }: Replay, isChanged: boolean, { paint }: Terminal): string {
  const different = decisions.filter(({ equal }) => !equal);
  const lines = different.map(({ id, difference = '', recorded, replayed }) => {
    const change = `${summaryText(recorded)} -> ${summaryText(replayed)}`;
    const isSame = summaryText(recorded) === summaryText(replayed);
    const text = isSame ? `${summaryText(recorded)}; ${difference} differs` : change;
    return `${paint(isChanged ? 'warn' : 'bad', id)}  ${text}`;
  });
  const total = `${counted(decisions.length, 'decision')}, ${countText(decisions.length - different.length)} equal`;
  return [...lines, total].map((line) => `${line}\n`).join('');
}

function summaryText({ launches, hourlyUsd, placed, unplaced, removes }: PlanSummary): string {
  const parts = [
    ...(removes.length > 0 ? [`removes ${removes.join(', ')}`] : []),
    ...(launches > 0 ? [`launches ${counted(launches, 'node')} for ${usdText(hourlyUsd)}/h`] : []),
    ...(placed > 0 ? [`${counted(placed, 'pod')} placed`] : []),
    ...(unplaced > 0 ? [`${countText(unplaced)} unplaced`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : 'changes nothing';
}
