import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressOn } from '../../../cli/terminal/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stderr(isTTY: boolean) {
  const texts: string[] = [];
  return { texts, isTTY, write: (text: string) => texts.push(text) };
}

describe('progress', () => {
  it('is silent for a second', () => {
    const output = stderr(false);
    const progress = progressOn(output);
    progress.report('simulating', 0.1);
    vi.advanceTimersByTime(999);
    progress.end();
    vi.advanceTimersByTime(60_000);

    expect(output.texts).toEqual([]);
  });

  it('prints a line every ten seconds outside a terminal', () => {
    const output = stderr(false);
    const progress = progressOn(output);
    progress.report('simulating: 1h of 24h', 1 / 24);
    vi.advanceTimersByTime(1_000);
    progress.report('simulating: 12h of 24h', 0.5);
    vi.advanceTimersByTime(9_999);
    expect(output.texts).toEqual(['simulating: 1h of 24h (4 %)\n']);
    vi.advanceTimersByTime(1);

    expect(output.texts).toEqual(['simulating: 1h of 24h (4 %)\n', 'simulating: 12h of 24h (50 %)\n']);
  });

  it('draws a bar on a terminal and removes it afterwards', () => {
    const output = stderr(true);
    const progress = progressOn(output);
    progress.report('simulating', 0.5);
    vi.advanceTimersByTime(1_000);
    progress.end();

    expect(output.texts).toEqual([`\r${'█'.repeat(12)}${'░'.repeat(12)} simulating (50 %)\u001b[K`, '\r\u001b[K']);
  });
});
