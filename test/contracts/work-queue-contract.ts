import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Hint, PollLoop, PollMessage, PollState, WakeUps, WorkQueue } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';

interface QueueUnderTest {
  readonly queue: WorkQueue;
  readonly now: () => EpochMs;
  /** Lets time pass and returns the hints that were delivered since the last call. */
  receiveFor(ms: number): Promise<readonly Hint[]>;
}

/**
 * The contract of every WorkQueue.
 *
 * @param create - an empty queue, with its consumer
 */
export function workQueueContract(adapter: string, create: () => Promise<QueueUnderTest>): void {
  describe(`WorkQueue: ${adapter}`, () => {
    it('delivers each kind of hint as it was sent', async () => {
      const { queue, now, receiveFor } = await create();
      const hints: readonly Hint[] = [
        { topic: 'plan' },
        { topic: 'claim', claim: 'general-1' },
        { topic: 'claim', claim: 'general-2' },
        { topic: 'disrupt' },
        { topic: 'sweep' },
        { topic: 'class' },
        {
          topic: 'interruption',
          notice: { kind: 'spot-interruption', providerId: 'aws:///z/i-1', at: now() },
        },
      ];

      for (const hint of hints) await queue.send(hint);

      expect(new Set(await receiveFor(5_000))).toEqual(new Set(hints));
    });

    it.each(['plan', 'disrupt', 'class'] as const)(
      'delivers no hint %s before its time, and not much later',
      async (topic) => {
        const { queue, now, receiveFor } = await create();

        await queue.send({ topic }, now() + 3_000);

        expect(await receiveFor(1_500)).toEqual([]);
        expect(await receiveFor(3_000)).toEqual([{ topic }]);
      },
    );

    it('delivers a hint again if it is sent again after its delivery', async () => {
      const { queue, receiveFor } = await create();
      await queue.send({ topic: 'sweep' });
      await receiveFor(2_000);

      await queue.send({ topic: 'sweep' });

      expect(await receiveFor(2_000)).toEqual([{ topic: 'sweep' }]);
    });

    it('delivers a hint at its time even if an equal one with a later time is queued', async () => {
      const { queue, now, receiveFor } = await create();
      await queue.send({ topic: 'claim', claim: 'general-1' }, now() + 60_000);

      await queue.send({ topic: 'claim', claim: 'general-1' });

      expect(await receiveFor(3_000)).toContainEqual({ topic: 'claim', claim: 'general-1' });
    });
  });
}

/**
 * The contract of every WakeUps.
 *
 * @param create - an empty store for each test
 */
export function wakeUpsContract(adapter: string, create: () => Promise<WakeUps>): void {
  describe(`WakeUps: ${adapter}`, () => {
    it('returns the latest generation of each claim', async () => {
      const wakeUps = await create();

      expect(await wakeUps.find('general-1')).toBeUndefined();
      expect(await wakeUps.save('general-1', { generation: 1, at: NOON })).toBe(true);
      expect(await wakeUps.save('general-1', { generation: 2, at: NOON - 1 })).toBe(true);
      expect(await wakeUps.save('general-2', { generation: 1, at: NOON })).toBe(true);

      expect(await wakeUps.find('general-1')).toEqual({ generation: 2, at: NOON - 1 });
    });

    it('accepts one of many writers at the same moment', async () => {
      const wakeUps = await create();
      await wakeUps.save('general-1', { generation: 1, at: NOON });

      const tries = [1, 2, 3].map((n) => wakeUps.save('general-1', { generation: 2, at: NOON + n }));

      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });
  });
}

const FIRST: PollState = { generation: 1, turn: 0, at: NOON, until: NOON + 3_600_000 };
const SECOND: PollState = { ...FIRST, generation: 2 };
const MESSAGE: PollMessage = { generation: 1, turn: 0, until: FIRST.until, waiting: '' };

/**
 * The contract of every PollLoop.
 *
 * @param create - a loop that never ran, for each test
 */
export function pollLoopContract(adapter: string, create: () => Promise<PollLoop>): void {
  describe(`PollLoop: ${adapter}`, () => {
    it('has no state before it was started', async () => {
      expect(await (await create()).find()).toBeUndefined();
    });

    it('is started by one of many callers', async () => {
      const loop = await create();
      const begun = await Promise.all([1, 2, 3].map(() => loop.replace(FIRST, undefined)));
      expect(begun.filter(Boolean)).toHaveLength(1);
      expect(await loop.find()).toEqual(FIRST);
    });

    it('accepts each iteration once', async () => {
      const loop = await create();
      await loop.replace(FIRST, undefined);

      const taken = await Promise.all([loop.take(MESSAGE, NOON + 5), loop.take(MESSAGE, NOON + 5)]);

      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await loop.find()).toEqual({ ...FIRST, turn: 1, at: NOON + 5 });
      expect(await loop.take(MESSAGE, NOON + 6)).toBe(false);
      expect(await loop.take({ ...MESSAGE, turn: 1 }, NOON + 7)).toBe(true);
    });

    it('drops iterations of a replaced loop', async () => {
      const loop = await create();
      await loop.replace(FIRST, undefined);
      await loop.replace(SECOND, FIRST);

      expect(await loop.take(MESSAGE, NOON + 5)).toBe(false);
      expect(await loop.take({ ...MESSAGE, generation: 2 }, NOON + 5)).toBe(true);
    });

    it('is not replaced by a caller that read an older iteration', async () => {
      const loop = await create();
      await loop.replace(FIRST, undefined);
      await loop.take(MESSAGE, NOON + 5);

      expect(await loop.replace(SECOND, FIRST)).toBe(false);
      expect(await loop.replace(SECOND, { ...FIRST, turn: 1 })).toBe(true);
    });
  });
}
