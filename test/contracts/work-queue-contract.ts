import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Hint, WorkQueue } from '../../shared/ports/work-queue.ts';

export interface QueueUnderTest {
  readonly queue: WorkQueue;
  readonly now: () => EpochMs;
  /** Lets time pass and returns what was handed over since the last call. */
  receiveFor(ms: number): Promise<readonly Hint[]>;
}

/** What every queue of hints keeps. @param create - an empty queue, with its consumer */
export function workQueueContract(adapter: string, create: () => Promise<QueueUnderTest>): void {
  describe(`WorkQueue: ${adapter}`, () => {
    it('hands over each kind of hint as it was sent', async () => {
      const { queue, now, receiveFor } = await create();
      const hints: readonly Hint[] = [
        { topic: 'plan' },
        { topic: 'claim', claim: 'general-1' },
        { topic: 'claim', claim: 'general-2' },
        { topic: 'disrupt' },
        { topic: 'sweep' },
        {
          topic: 'interruption',
          notice: { kind: 'spot-interruption', providerId: 'aws:///z/i-1', at: now() },
        },
      ];

      for (const hint of hints) await queue.send(hint);

      expect(new Set(await receiveFor(5_000))).toEqual(new Set(hints));
    });

    it('hands over nothing before its time, and not much after', async () => {
      const { queue, now, receiveFor } = await create();

      await queue.send({ topic: 'plan' }, now() + 3_000);

      expect(await receiveFor(1_500)).toEqual([]);
      expect(await receiveFor(3_000)).toEqual([{ topic: 'plan' }]);
    });

    it('hands over a hint again that is sent after it was handed over', async () => {
      const { queue, receiveFor } = await create();
      await queue.send({ topic: 'sweep' });
      await receiveFor(2_000);

      await queue.send({ topic: 'sweep' });

      expect(await receiveFor(2_000)).toEqual([{ topic: 'sweep' }]);
    });

    it('is no later for a hint that waits already with a later time', async () => {
      const { queue, now, receiveFor } = await create();
      await queue.send({ topic: 'claim', claim: 'general-1' }, now() + 60_000);

      await queue.send({ topic: 'claim', claim: 'general-1' });

      expect(await receiveFor(3_000)).toContainEqual({ topic: 'claim', claim: 'general-1' });
    });
  });
}
