import { describe, expect, it } from 'vitest';
import { STARTS_AT } from '../../cli/playground/simulated-cluster.ts';
import { isReplayedEqually } from '../../cli/record/replay-decision.ts';
import { findDecisionTime } from '../../shared/model/decision-time.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { openDecisionRecord } from '../../shared/record/decision-record.ts';
import { recordExample } from './support/record-example.ts';

const { entries } = await recordExample('web-three-zones', 10 * MINUTE_MS);
const reads: string[] = [];
const record = openDecisionRecord({
  list: async (prefix) => [...entries.keys()].filter((path) => path.startsWith(prefix)),
  async read(path) {
    reads.push(path);
    const json = entries.get(path);
    const value: unknown = json === undefined ? undefined : JSON.parse(json);
    return value;
  },
});

describe('the record of a cluster', () => {
  it('lists the decisions of an interval, oldest first', async () => {
    const all = await record.list(STARTS_AT, STARTS_AT + 10 * MINUTE_MS);
    const times = all.map((id) => findDecisionTime(id) ?? 0);

    expect(all.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await record.list(STARTS_AT + 60 * MINUTE_MS, STARTS_AT + 61 * MINUTE_MS)).toEqual([]);
    const [first = 0] = times;
    expect(await record.list(STARTS_AT, first)).toEqual(all.filter((id) => findDecisionTime(id) === first));
  });

  it('finds a decision by its id, with its parts, which are read once', async () => {
    const ids = await record.list(STARTS_AT, STARTS_AT + 10 * MINUTE_MS);
    for (const id of ids) {
      const decision = await record.find(id);
      expect(decision && isReplayedEqually(decision)).toBe(true);
    }

    expect(new Set(reads).size).toBe(reads.length);
  });

  it('has no decision with another id', async () => {
    expect(await record.find('p-20260105T080000Z-none')).toBeUndefined();
    expect(await record.find('web')).toBeUndefined();
  });
});
