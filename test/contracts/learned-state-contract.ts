import { describe, expect, it } from 'vitest';
import type {
  Nominations,
  PoolBackoffs,
  RegistrationHealths,
  Rollouts,
  SweepStateStore,
} from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

/**
 * The contract of every PoolBackoffs.
 *
 * @param create - an empty store for each test
 */
export function poolBackoffsContract(adapter: string, create: () => Promise<PoolBackoffs>): void {
  describe(`PoolBackoffs: ${adapter}`, () => {
    it('keeps the latest entry of each pool, and removes entries', async () => {
      const backoffs = await create();
      const general = { pool: 'general', failures: 2, until: NOON };
      await backoffs.save('drift', { ...general, failures: 1 });
      await backoffs.save('drift', general);
      await backoffs.save('drift', { pool: 'batch', failures: 1, until: NOON });

      expect(await backoffs.list('drift')).toContainEqual(general);
      await backoffs.remove('drift', 'batch');
      await backoffs.remove('drift', 'batch');
      expect(await backoffs.list('drift')).toEqual([general]);
    });

    it('keeps an entry for each pod owner besides that of the pool', async () => {
      const backoffs = await create();
      const entry = { pool: 'general', failures: 1, failedAt: NOON, until: NOON };
      await backoffs.save('placement', entry);
      await backoffs.save('placement', { ...entry, owner: 'uid-1', message: 'no pod came' });
      await backoffs.save('placement', { ...entry, owner: 'uid-2' });

      await backoffs.remove('placement', 'general', 'uid-2');
      await backoffs.remove('placement', 'general');

      expect(await backoffs.list('placement')).toEqual([{ ...entry, owner: 'uid-1', message: 'no pod came' }]);
    });

    it('keeps the causes apart', async () => {
      const backoffs = await create();
      const causes = ['registration', 'launch', 'placement', 'drift'] as const;
      const entryOf = (index: number) => ({ pool: 'general', failures: index + 1, until: NOON });
      for (const [index, cause] of causes.entries()) await backoffs.save(cause, entryOf(index));
      await backoffs.remove('launch', 'general');

      const lists = await Promise.all(causes.map((cause) => backoffs.list(cause)));
      expect(lists).toEqual([[entryOf(0)], [], [entryOf(2)], [entryOf(3)]]);
    });
  });
}

/**
 * The contract of every Rollouts.
 *
 * @param create - an empty store for each test
 */
export function rolloutsContract(adapter: string, create: () => Promise<Rollouts>): void {
  describe(`Rollouts: ${adapter}`, () => {
    const stopped = (nodeClass: string, version: string) => ({
      ...{ nodeClass, version, claim: 'general-1', why: 'did not register', at: NOON },
    });

    it('keeps the latest stop of each class until the rollout resumes', async () => {
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

/**
 * The contract of every RegistrationHealths.
 *
 * @param create - an empty store for each test
 */
export function registrationHealthsContract(adapter: string, create: () => Promise<RegistrationHealths>): void {
  describe(`RegistrationHealths: ${adapter}`, () => {
    const pool = { name: 'general', uid: 'uid-1', generation: 1, nodeClassGeneration: 1 };
    const failed = { outcome: 'failed', reason: 'RegistrationFailed', message: 'why' } as const;

    it('counts results of the same moment, and keeps pools apart', async () => {
      const healths = await create();
      await Promise.all([
        healths.record(pool, failed, NOON),
        healths.record(pool, { outcome: 'registered' }, NOON),
        healths.record({ ...pool, name: 'gpu', uid: 'uid-2' }, failed, NOON),
      ]);

      const byPool = new Map((await healths.list()).map((health) => [health.pool, health]));
      expect(byPool.get('general')?.results).toHaveLength(2);
      expect(byPool.get('gpu')?.results).toEqual([failed]);
    });

    it('starts anew with the results of a changed pool', async () => {
      const healths = await create();
      await healths.record(pool, failed, NOON);
      await healths.record({ ...pool, generation: 2 }, failed, NOON);

      expect(await healths.list()).toEqual([
        {
          pool: 'general',
          poolUid: 'uid-1',
          generation: 2,
          nodeClassGeneration: 1,
          results: [failed],
        },
      ]);
    });
  });
}

/**
 * The contract of every SweepStateStore.
 *
 * @param create - an empty store for each test
 */
export function sweepStateContract(adapter: string, create: () => Promise<SweepStateStore>): void {
  describe(`SweepStateStore: ${adapter}`, () => {
    it('is empty before the first sweep', async () => {
      expect(await (await create()).read()).toBeUndefined();
    });

    it('returns the state of the last sweep, and nothing of the one before', async () => {
      const tracker = await create();
      const unexplained = { 'aws:///us-east-1a/i-0123': NOON };

      const nodePeaks = [{ hour: NOON, nodes: 12 }];
      await tracker.write({ tableSince: NOON, unexplained, confirmedUntil: NOON + 1, nodePeaks });
      expect(await tracker.read()).toEqual({
        tableSince: NOON,
        unexplained,
        confirmedUntil: NOON + 1,
        nodePeaks,
      });
      await tracker.write({ tableSince: NOON, unexplained: {} });
      expect(await tracker.read()).toEqual({ tableSince: NOON, unexplained: {} });
    });
  });
}

/**
 * The contract of every Nominations.
 *
 * @param create - an empty store for each test
 */
export function nominationsContract(adapter: string, create: () => Promise<Nominations>): void {
  describe(`Nominations: ${adapter}`, () => {
    it('lists each name until its end, whether its row is deleted or not', async () => {
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

    it('accepts an empty list of names', async () => {
      const nominations = await create();

      await nominations.nominate([], NOON + 20_000);

      expect(await nominations.list(NOON)).toEqual({});
    });
  });
}
