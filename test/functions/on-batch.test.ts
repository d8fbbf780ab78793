import { describe, expect, it, vi } from 'vitest';
import { computeReadableAt, onBatch } from '../../functions/support/on-batch.ts';
import { logger } from '../../functions/support/telemetry.ts';
import { HINT_BUCKET_MS } from '../../shared/model/settings.ts';
import { valueAt } from '../e2e/lab/json.ts';
import { NOON } from '../support/builders.ts';
import { aBatch, aGroupRecord, aQueue } from './fixture.ts';

function sentAt(at: number) {
  const record = aGroupRecord('{"topic":"plan"}', 'plan');
  return { ...record, attributes: { ...record.attributes, SentTimestamp: String(at) } };
}

const nothing = async (): Promise<void> => {};

function aBatchOf({ now = NOON, prepare = nothing, work = nothing, queue = aQueue() } = {}) {
  const waits: number[] = [];
  const sleep = async (ms: number) => waits.push(ms);
  const runBatch = onBatch(
    { clock: { now: () => now }, queue, sleep, hide: nothing },
    { hint: { topic: 'plan' }, persistenceMs: 250, prepare, work },
  );
  return { runBatch, waits, queue };
}

describe('a batch of hints', () => {
  it('runs the work once, however many hints it has', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
    };
    const { runBatch } = aBatchOf({ work });

    const hints = Array.from({ length: 10 }, (_, index) => sentAt(NOON + index));
    expect(await runBatch(aBatch(...hints))).toEqual({ batchItemFailures: [] });
    expect(runs).toBe(1);
  });

  it('keeps its messages hidden while it runs', async () => {
    const hidden: string[] = [];
    const runBatch = onBatch(
      {
        clock: { now: () => NOON },
        queue: aQueue(),
        sleep: nothing,
        hide: async (handles, seconds) => void hidden.push(`${handles.join()} for ${seconds} s`),
      },
      { hint: { topic: 'plan' }, persistenceMs: 250, work: nothing },
    );
    await runBatch(aBatch(sentAt(NOON)));

    expect(hidden).toEqual(['receipt of {"topic":"plan"} for 30 s']);
  });

  it('names its own messages on each log line, and none of an earlier batch', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    logger.setLogLevel('INFO');
    const { runBatch } = aBatchOf({ work: async () => logger.info('planned') });

    await runBatch(aBatch(sentAt(NOON), { ...sentAt(NOON), messageId: 'second' }));
    await runBatch(aBatch({ ...sentAt(NOON), messageId: 'third' }));
    write.mockRestore();
    logger.setLogLevel('SILENT');

    expect(lines.map((line) => valueAt(JSON.parse(line), 'hints'))).toEqual([
      ['{"topic":"plan"}', 'second'],
      ['third'],
    ]);
  });

  it('waits until the newest bucket has ended and its objects can be read', async () => {
    const { runBatch, waits } = aBatchOf({ now: NOON + 20 });
    await runBatch(aBatch(sentAt(NOON - 900), sentAt(NOON + 10)));

    expect(waits).toEqual([HINT_BUCKET_MS + 250 - 20]);
  });

  it("waits at most one bucket and one margin if the queue's clock is minutes ahead", async () => {
    const { runBatch, waits } = aBatchOf({ now: NOON - 10 * 60_000 });
    await runBatch(aBatch(sentAt(NOON + 10)));

    expect(waits).toEqual([HINT_BUCKET_MS + 250]);
  });

  it('prepares the work while it waits', async () => {
    const done: string[] = [];
    const runBatch = onBatch(
      {
        clock: { now: () => NOON },
        queue: aQueue(),
        sleep: async () => done.push('waited'),
        hide: nothing,
      },
      {
        hint: { topic: 'plan' },
        persistenceMs: 250,
        prepare: async () => done.push('prepared'),
        work: async () => void done.push('worked'),
      },
    );
    await runBatch(aBatch(sentAt(NOON)));

    expect(done).toEqual(['prepared', 'waited', 'worked']);
  });

  it('runs the work even if the preparation failed', async () => {
    let runs = 0;
    const { runBatch } = aBatchOf({
      prepare: async () => {
        throw new Error('unreachable');
      },
      work: async () => {
        runs += 1;
      },
    });
    await runBatch(aBatch(sentAt(NOON)));

    expect(runs).toBe(1);
  });

  it('does not wait for hints that are old enough', async () => {
    const { runBatch, waits } = aBatchOf({ now: NOON + 60_000 });
    await runBatch(aBatch(sentAt(NOON)));

    expect(waits).toEqual([0]);
  });

  it('counts the first millisecond of a bucket as part of it', () => {
    const next = NOON + HINT_BUCKET_MS;

    expect(computeReadableAt([sentAt(NOON)], 0)).toBe(next);
    expect(computeReadableAt([sentAt(next - 1)], 0)).toBe(next);
    expect(computeReadableAt([sentAt(next)], 0)).toBe(next + HINT_BUCKET_MS);
  });

  it('acknowledges a failure and sends the hint again, so that no group is blocked', async () => {
    const work = () => Promise.reject(new Error('API server away'));
    const { runBatch, queue } = aBatchOf({ work });

    expect(await runBatch(aBatch(sentAt(NOON)))).toEqual({ batchItemFailures: [] });
    expect(queue.sent).toEqual([{ hint: { topic: 'plan' }, at: NOON + 10_000 }]);
  });

  it.each([0, 1, 9_999])('retries at the same time as other failures: after %d ms', async (ms) => {
    const work = () => Promise.reject(new Error('API server away'));
    const { runBatch, queue } = aBatchOf({ now: NOON + ms, work });
    await runBatch(aBatch(sentAt(NOON)));

    expect(queue.sent.map(({ at }) => at)).toEqual([NOON + 10_000]);
  });

  it('fails if the retry cannot be sent: then SQS must deliver the message again', async () => {
    const work = () => Promise.reject(new Error('API server away'));
    const { runBatch } = aBatchOf({ work, queue: aQueue({ fails: true }) });

    await expect(runBatch(aBatch(sentAt(NOON)))).rejects.toThrow('SQS is away');
  });
});
