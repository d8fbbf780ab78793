import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { History, WorkloadPart } from './model/history.ts';
import { runHistory } from './run-history.ts';

const aWorkload = (name: string, over: Partial<WorkloadPart> = {}): WorkloadPart => ({
  kind: 'workload',
  name,
  isStateful: false,
  replicas: 4,
  cpu: 1,
  gracePeriodMs: 10 * SECOND_MS,
  ...over,
});

/** A planner that dies as long as it plans `db`, and workloads that come meanwhile. */
const A_HISTORY: History = {
  seed: 7,
  activeMs: 40 * MINUTE_MS,
  parts: [...['web', 'api', 'cart', 'db'].map((name) => aWorkload(name)), { kind: 'fatal-workload', workload: 'db' }],
  incidents: [{ atMs: 20 * MINUTE_MS, kind: 'scale', workload: 'web', replicas: 9 }],
  faults: [],
};

/** Most pods go, so that nodes can be removed; planning moves of `db` ends the planner. */
const A_SHRINKING_HISTORY: History = {
  seed: 7,
  activeMs: 60 * MINUTE_MS,
  parts: [
    ...['web', 'api', 'cart'].map((name) => aWorkload(name, { cpu: 5 })),
    aWorkload('db', { cpu: 5, replicas: 1 }),
    { kind: 'fatal-moves', workload: 'db' },
    { kind: 'free-moves' },
  ],
  incidents: ['web', 'api', 'cart'].map((workload, index) => ({
    ...{ atMs: (20 + 10 * index) * MINUTE_MS, kind: 'scale', workload, replicas: 1 },
  })),
  faults: [],
};

/** The calls of a history that contain a text, with the minute in which they were made. */
async function findCalls(history: History, ...texts: readonly string[]) {
  const calls: { readonly minute: number; readonly text: string }[] = [];
  const { violations } = await runHistory(history, (line) => {
    const text = line();
    if (texts.some((one) => text.includes(one))) calls.push({ minute: Math.floor(Number.parseFloat(text) / 60), text });
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

describe('a planner that dies whenever it plans to move one workload', () => {
  it('sets its node aside, and goes on removing others', async () => {
    const texts = ['node-set-aside', ': terminate('] as const;
    const { calls, violations } = await findCalls(A_SHRINKING_HISTORY, ...texts);

    const setAside = calls.findIndex(({ text }) => text.includes('node-set-aside'));
    const removals = calls.slice(setAside).filter(({ text }) => text.includes('terminate'));
    expect(setAside).toBeGreaterThanOrEqual(0);
    expect(removals.some(({ minute }) => minute < 60)).toBe(true);
    expect(violations).toEqual([]);
  });
});
