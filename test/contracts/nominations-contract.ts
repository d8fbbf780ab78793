import { describe, expect, it } from 'vitest';
import type { Nominations } from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

/** What every store of nominations keeps. @param create - an empty one for each test */
export function nominationsContract(adapter: string, create: () => Promise<Nominations>): void {
  describe(`Nominations: ${adapter}`, () => {
    it('22.12-187: lists each name until its time has come, whether its row is gone or not', async () => {
      const nominations = await create();

      await nominations.nominate(['node-1', 'node-2'], NOON + 20_000);
      await nominations.nominate(['node-3'], NOON + 30_000);

      expect(await nominations.list(NOON)).toEqual({
        'node-1': NOON + 20_000,
        'node-2': NOON + 20_000,
        'node-3': NOON + 30_000,
      });
      expect(await nominations.list(NOON + 20_000)).toEqual({ 'node-3': NOON + 30_000 });
    });

    it('keeps the later end, whichever was written last', async () => {
      const nominations = await create();

      await nominations.nominate(['node-1'], NOON + 20_000);
      await nominations.nominate(['node-1'], NOON + 10_000);

      expect(await nominations.list(NOON)).toEqual({ 'node-1': NOON + 20_000 });
    });

    it('takes an empty list of names', async () => {
      const nominations = await create();

      await nominations.nominate([], NOON + 20_000);

      expect(await nominations.list(NOON)).toEqual({});
    });
  });
}
