import { describe, expect, it } from 'vitest';
import type { SweepBook } from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

/** What all sweep books keep. @param create - an empty one for each test */
export function sweepBookContract(adapter: string, create: () => Promise<SweepBook>): void {
  describe(`SweepBook: ${adapter}`, () => {
    it('is empty before the first sweep', async () => {
      expect(await (await create()).read()).toBeUndefined();
    });

    it('has what the last sweep wrote, and nothing of the one before', async () => {
      const book = await create();
      const unexplained = { 'aws:///us-east-1a/i-0123': NOON };

      await book.write({ tableSince: NOON, unexplained, confirmedUntil: NOON + 1 });
      expect(await book.read()).toEqual({
        tableSince: NOON,
        unexplained,
        confirmedUntil: NOON + 1,
      });
      await book.write({ tableSince: NOON, unexplained: {} });
      expect(await book.read()).toEqual({ tableSince: NOON, unexplained: {} });
    });
  });
}
