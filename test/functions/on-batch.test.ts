import { describe, expect, it } from 'vitest';
import { computeReadableAt, onBatch } from '../../functions/support/on-batch.ts';
import { NOON } from '../support/builders.ts';
import { aBatch, aGroupRecord, aQueue } from './fixture.ts';

function sentAt(at: number) {
  const record = aGroupRecord('{"topic":"plan"}', 'plan');
  return { ...record, attributes: { ...record.attributes, SentTimestamp: String(at) } };
}

const nothing = async (): Promise<void> => {};

function aTurn({ now = NOON, prepare = nothing, work = nothing, queue = aQueue() } = {}) {
  const waits: number[] = [];
  const sleep = async (ms: number) => waits.push(ms);
  const turn = onBatch(
    { clock: { now: () => now }, queue, sleep },
    { hint: { topic: 'plan' }, bucketMs: 250, persistenceMs: 250, prepare, work },
  );
  return { turn, waits, queue };
}

describe('a turn', () => {
  it('SV-10: works once, however many hints there are', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
    };
    const { turn } = aTurn({ work });

    const hints = Array.from({ length: 10 }, (_, index) => sentAt(NOON + index));
    expect(await turn(aBatch(...hints))).toEqual({ batchItemFailures: [] });
    expect(runs).toBe(1);
  });

  it('SV-11: waits for the end of the newest bucket, and until what it saw is stored', async () => {
    const { turn, waits } = aTurn({ now: NOON + 20 });
    await turn(aBatch(sentAt(NOON - 900), sentAt(NOON + 10)));

    expect(waits).toEqual([250 + 250 - 20]);
  });

  it('waits no longer for a clock of its own that is minutes behind that of the queue', async () => {
    const { turn, waits } = aTurn({ now: NOON - 10 * 60_000 });
    await turn(aBatch(sentAt(NOON + 10)));

    expect(waits).toEqual([250 + 250]);
  });

  it('prepares its work while it waits', async () => {
    const done: string[] = [];
    const turn = onBatch(
      {
        clock: { now: () => NOON },
        queue: aQueue(),
        sleep: async () => done.push('waited'),
      },
      {
        hint: { topic: 'plan' },
        bucketMs: 250,
        persistenceMs: 250,
        prepare: async () => done.push('prepared'),
        work: async () => void done.push('worked'),
      },
    );
    await turn(aBatch(sentAt(NOON)));

    expect(done).toEqual(['prepared', 'waited', 'worked']);
  });

  it('works though nothing could be prepared', async () => {
    let runs = 0;
    const { turn } = aTurn({
      prepare: async () => {
        throw new Error('unreachable');
      },
      work: async () => {
        runs += 1;
      },
    });
    await turn(aBatch(sentAt(NOON)));

    expect(runs).toBe(1);
  });

  it('does not wait for hints that have waited long enough', async () => {
    const { turn, waits } = aTurn({ now: NOON + 60_000 });
    await turn(aBatch(sentAt(NOON)));

    expect(waits).toEqual([0]);
  });

  it('a bucket begins with its first millisecond', () => {
    expect(computeReadableAt([sentAt(NOON)], { bucketMs: 250, persistenceMs: 0 })).toBe(NOON + 250);
    expect(computeReadableAt([sentAt(NOON + 249)], { bucketMs: 250, persistenceMs: 0 })).toBe(
      NOON + 250,
    );
    expect(computeReadableAt([sentAt(NOON + 250)], { bucketMs: 250, persistenceMs: 0 })).toBe(
      NOON + 500,
    );
  });

  it('SV-16: acknowledges a failure and asks for another turn, so that no group stands still', async () => {
    const work = () => Promise.reject(new Error('API server away'));
    const { turn, queue } = aTurn({ work });

    expect(await turn(aBatch(sentAt(NOON)))).toEqual({ batchItemFailures: [] });
    expect(queue.sent).toEqual([{ hint: { topic: 'plan' }, at: NOON + 10_000 }]);
  });

  it.each([0, 1, 9_999])('asks for the same turn as others that fail: after %d ms', async (ms) => {
    const work = () => Promise.reject(new Error('API server away'));
    const { turn, queue } = aTurn({ now: NOON + ms, work });
    await turn(aBatch(sentAt(NOON)));

    expect(queue.sent.map(({ at }) => at)).toEqual([NOON + 10_000]);
  });

  it('fails if it cannot even ask: then the message must come back', async () => {
    const work = () => Promise.reject(new Error('API server away'));
    const { turn } = aTurn({ work, queue: aQueue({ fails: true }) });

    await expect(turn(aBatch(sentAt(NOON)))).rejects.toThrow('SQS is away');
  });
});
