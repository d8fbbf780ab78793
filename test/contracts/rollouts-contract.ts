import { describe, expect, it } from 'vitest';
import type { Rollouts } from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

/** What all records of stopped rollouts keep. @param create - an empty one for each test */
export function rolloutsContract(adapter: string, create: () => Promise<Rollouts>): void {
  describe(`Rollouts: ${adapter}`, () => {
    const stopped = (nodeClass: string, version: string) => ({
      ...{ nodeClass, version, claim: 'general-1', why: 'did not register', at: NOON },
    });

    it('know the latest of each class, until it goes on', async () => {
      const rollouts = await create();
      await rollouts.stop(stopped('default', 'ami-1/a'));
      await rollouts.stop(stopped('default', 'ami-2/a'));
      await rollouts.stop(stopped('gpu', 'ami-3/b'));

      expect(await rollouts.list()).toContainEqual(stopped('default', 'ami-2/a'));
      await rollouts.resume('default');
      await rollouts.resume('default');
      expect(await rollouts.list()).toEqual([stopped('gpu', 'ami-3/b')]);
    });
  });
}
