import { describe, expect, it } from 'vitest';
import type { PoolBackoffs } from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

/** What all records of pools that back off keep. @param create - an empty one for each test */
export function poolBackoffsContract(adapter: string, create: () => Promise<PoolBackoffs>): void {
  describe(`PoolBackoffs: ${adapter}`, () => {
    it('know the latest of each pool, and forget one', async () => {
      const backoffs = await create();
      const general = { pool: 'general', failures: 2, until: NOON };
      await backoffs.save({ ...general, failures: 1 });
      await backoffs.save(general);
      await backoffs.save({ pool: 'batch', failures: 1, until: NOON });

      expect(await backoffs.list()).toContainEqual(general);
      await backoffs.remove('batch');
      await backoffs.remove('batch');
      expect(await backoffs.list()).toEqual([general]);
    });
  });
}
