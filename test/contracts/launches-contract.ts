import { describe, expect, it } from 'vitest';
import type { Launches, LaunchRecord } from '../../shared/ports/records.ts';
import { aLaunch, NOON } from '../support/builders.ts';

const aRecord = (over: Partial<LaunchRecord> = {}): LaunchRecord => ({
  id: 'p-1-0',
  attempt: 1,
  claims: ['general-1', 'general-2'],
  calledAt: NOON,
  launches: {},
  ...over,
});

/**
 * The contract of every Launches.
 *
 * @param create - a store without records for each test
 */
export function launchesContract(adapter: string, create: () => Promise<Launches>): void {
  describe(`Launches: ${adapter}`, () => {
    it('finds the result of the latest save, with every field', async () => {
      const launches = await create();
      const answered = aRecord({
        attempt: 2,
        refused: true,
        uncertainAnswers: 2,
        retryAt: NOON + 2,
        launches: { 'general-1': aLaunch() },
        closedAt: NOON + 1,
        foundShortage: true,
      });

      expect(await launches.find('p-1-0')).toBeUndefined();
      expect(await launches.save(aRecord(), 0)).toBe(true);
      expect(await launches.save(answered, 1)).toBe(true);

      expect(await launches.find('p-1-0')).toEqual({ record: answered, version: 2 });
      expect((await launches.list()).records).toEqual([{ record: answered, version: 2 }]);
    });

    it.each([
      ['a new one under an id that is taken', 0],
      ['a change to a version that is still to come', 2],
    ])('refuses %s', async (_, observed) => {
      const launches = await create();
      await launches.save(aRecord(), 0);

      expect(await launches.save(aRecord({ attempt: 9 }), observed)).toBe(false);
      expect((await launches.find('p-1-0'))?.record.attempt).toBe(1);
    });

    it('accepts one of many writers that are about to call EC2 at once', async () => {
      const launches = await create();
      const tries = [1, 2, 3].map((attempt) => launches.save(aRecord({ attempt }), 0));

      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    it('removes a record, and accepts a second removal', async () => {
      const launches = await create();
      await launches.save(aRecord(), 0);

      await launches.remove('p-1-0');
      await launches.remove('p-1-0');

      expect((await launches.list()).records).toEqual([]);
    });
  });
}
