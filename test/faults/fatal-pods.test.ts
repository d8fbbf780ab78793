import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { History, Part } from './model/history.ts';
import { runHistory } from './run-history.ts';

const aWorkload = (name: string): Part => ({
  kind: 'workload',
  name,
  isStateful: false,
  replicas: 4,
  cpu: 1,
  gracePeriodMs: 10 * SECOND_MS,
});

/** A planner that dies as long as it plans `db`, and workloads that come meanwhile. */
const A_HISTORY: History = {
  seed: 7,
  activeMs: 40 * MINUTE_MS,
  parts: [
    ...['web', 'api', 'cart', 'db'].map(aWorkload),
    { kind: 'fatal-workload', workload: 'db' },
  ],
  incidents: [{ atMs: 20 * MINUTE_MS, kind: 'scale', workload: 'web', replicas: 9 }],
  faults: [],
};

/** The calls of a history that contain a text, with the minute in which they were made. */
async function findCalls(history: History, ...texts: readonly string[]) {
  const calls: { readonly minute: number; readonly text: string }[] = [];
  const { violations } = await runHistory(history, (line) => {
    const text = line();
    if (texts.some((one) => text.includes(one)))
      calls.push({ minute: Math.floor(Number.parseFloat(text) / 60), text });
  });
  return { calls, violations };
}

describe('a planner that dies whenever it plans one workload', () => {
  it('sets it aside, and gives all workloads nodes once the defect is gone', async () => {
    const { calls, violations } = await findCalls(A_HISTORY, 'pods-set-aside');

    expect(calls.length).toBeGreaterThan(0);
    expect(violations).toEqual([]);
  });

  it('goes on launching nodes for the other workloads', async () => {
    const { calls } = await findCalls(A_HISTORY, ': launch(');

    expect(calls.some(({ minute }) => minute < 20)).toBe(true);
    expect(calls.some(({ minute }) => minute >= 20 && minute < 40)).toBe(true);
  });
});
