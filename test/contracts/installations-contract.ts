import { describe, expect, it } from 'vitest';
import type { Installation, Installations } from '../../shared/ports/cluster-setup.ts';
import { anInstallation } from '../controllers/webhooks/fake-setup.ts';
import { NOON } from '../support/builders.ts';

const STATES: readonly Installation[] = [
  anInstallation(),
  anInstallation({ eventSource: 'poll', hooks: { state: 'none' }, isEgressRouted: true }),
  anInstallation({
    hasOtherHooks: true,
    hooks: { state: 'withdrawn', since: NOON, by: 'breaker', why: 'slow' },
  }),
];

/**
 * The contract of every Installations.
 *
 * @param create - an empty store for each test
 */
export function installationsContract(adapter: string, create: () => Promise<Installations>): void {
  describe(`Installations: ${adapter}`, () => {
    it('has no installation before the cluster is set up', async () => {
      expect(await (await create()).find()).toBeUndefined();
    });

    it.each(STATES)('returns the installation that was written last: $hooks.state', async (installation) => {
      const installations = await create();
      await installations.save(anInstallation({ why: 'before' }));
      await installations.save(installation);
      expect(await installations.find()).toEqual(installation);
    });
  });
}
