import { describe, expect, it } from 'vitest';
import type { PollLoop, PollMessage, PollState } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';

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
