import { describe, expect, it } from 'vitest';
import type { WakeUps } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';

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
