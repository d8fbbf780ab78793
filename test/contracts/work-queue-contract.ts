import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../shared/model/time.ts';
import type {
  Hint,
  PollLoop,
  PollMessage,
  PollState,
  WakeUps,
  WorkQueue,
} from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';

interface QueueUnderTest {
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

/** What all records of wake-ups keep. @param create - an empty one for each test */
export function wakeUpsContract(adapter: string, create: () => Promise<WakeUps>): void {
  describe(`WakeUps: ${adapter}`, () => {
    it('know the latest generation of each claim', async () => {
      const wakeUps = await create();

      expect(await wakeUps.find('general-1')).toBeUndefined();
      expect(await wakeUps.save('general-1', { generation: 1, at: NOON })).toBe(true);
      expect(await wakeUps.save('general-1', { generation: 2, at: NOON - 1 })).toBe(true);
      expect(await wakeUps.save('general-2', { generation: 1, at: NOON })).toBe(true);

      expect(await wakeUps.find('general-1')).toEqual({ generation: 2, at: NOON - 1 });
    });

    it('let one of many through that ask at the same moment', async () => {
      const wakeUps = await create();
      await wakeUps.save('general-1', { generation: 1, at: NOON });

      const tries = [1, 2, 3].map((n) =>
        wakeUps.save('general-1', { generation: 2, at: NOON + n }),
      );

      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });
  });
}

const FIRST: PollState = { generation: 1, turn: 0, at: NOON, until: NOON + 3_600_000 };
const SECOND: PollState = { ...FIRST, generation: 2 };
const MESSAGE: PollMessage = { generation: 1, turn: 0, until: FIRST.until, waiting: '' };

/** What every home of the loop keeps. @param create - one that never ran, for each test */
export function pollLoopContract(adapter: string, create: () => Promise<PollLoop>): void {
  describe(`PollLoop: ${adapter}`, () => {
    it('has no state before it was begun', async () => {
      expect(await (await create()).find()).toBeUndefined();
    });

    it('is begun by one of many', async () => {
      const loop = await create();
      const begun = await Promise.all([1, 2, 3].map(() => loop.replace(FIRST, undefined)));
      expect(begun.filter(Boolean)).toHaveLength(1);
      expect(await loop.find()).toEqual(FIRST);
    });

    it('gives each turn once', async () => {
      const loop = await create();
      await loop.replace(FIRST, undefined);

      const taken = await Promise.all([loop.take(MESSAGE, NOON + 5), loop.take(MESSAGE, NOON + 5)]);

      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await loop.find()).toEqual({ ...FIRST, turn: 1, at: NOON + 5 });
      expect(await loop.take(MESSAGE, NOON + 6)).toBe(false);
      expect(await loop.take({ ...MESSAGE, turn: 1 }, NOON + 7)).toBe(true);
    });

    it('drops turns of a loop that was replaced', async () => {
      const loop = await create();
      await loop.replace(FIRST, undefined);
      await loop.replace(SECOND, FIRST);

      expect(await loop.take(MESSAGE, NOON + 5)).toBe(false);
      expect(await loop.take({ ...MESSAGE, generation: 2 }, NOON + 5)).toBe(true);
    });

    it('is not replaced by who saw an older turn', async () => {
      const loop = await create();
      await loop.replace(FIRST, undefined);
      await loop.take(MESSAGE, NOON + 5);

      expect(await loop.replace(SECOND, FIRST)).toBe(false);
      expect(await loop.replace(SECOND, { ...FIRST, turn: 1 })).toBe(true);
    });
  });
}
