import { describe, expect, it } from 'vitest';
import type { Commit, Commits, Lease } from '../../shared/ports/records.ts';
import { aNodeClaim, NOON } from '../support/builders.ts';

const aLease = (fence: number): Lease => ({
  role: 'commit',
  holder: `holder-${fence}`,
  fence,
  until: NOON,
});

const aCommit = (id: string, over: Partial<Commit> = {}): Commit => ({
  id,
  claims: [aNodeClaim({ name: `${id}-1` }), aNodeClaim({ name: `${id}-2` })],
  ...over,
});

/**
 * The contract of every Commits.
 *
 * @param create - a store without commits for each test
 */
export function commitsContract(adapter: string, create: () => Promise<Commits>): void {
  describe(`Commits: ${adapter}`, () => {
    it('starts with epoch 0', async () => {
      const commits = await create();

      expect(await commits.latest()).toEqual({ epoch: 0 });
    });

    it('returns the whole latest commit until it is closed', async () => {
      const commits = await create();
      const command = {
        id: 'd-1',
        reason: 'Empty' as const,
        decidedAt: NOON,
        candidates: ['general-1'],
        replacements: [],
        placements: [],
        savingHourlyUsd: 0.1,
      };

      expect(await commits.add(aCommit('p-1'), 0, aLease(1))).toBe(true);
      expect(await commits.latest()).toEqual({ epoch: 1, open: aCommit('p-1') });
      expect(await commits.add(aCommit('d-1', { command }), 1, aLease(2))).toBe(true);
      expect(await commits.latest()).toEqual({ epoch: 2, open: aCommit('d-1', { command }) });
      await commits.close(2);
      expect(await commits.latest()).toEqual({ epoch: 2 });
    });

    it.each([
      ['that saw none', 0],
      ['that saw one which is still to come', 2],
    ])('refuses a commit %s', async (_, observed) => {
      const commits = await create();
      await commits.add(aCommit('p-1'), 0, aLease(1));

      expect(await commits.add(aCommit('p-2'), observed, aLease(2))).toBe(false);
      expect((await commits.latest()).open?.id).toBe('p-1');
    });

    it('refuses the holder of an earlier lease than that of the last commit', async () => {
      const commits = await create();
      await commits.add(aCommit('p-1'), 0, aLease(2));

      expect(await commits.add(aCommit('p-2'), 1, aLease(1))).toBe(false);
      await commits.close(1);
      expect(await commits.add(aCommit('p-2'), 1, aLease(1))).toBe(false);
      expect(await commits.add(aCommit('p-2'), 1, aLease(2))).toBe(true);
    });

    it('accepts one of many commits that expect the same epoch', async () => {
      const commits = await create();
      const tries = [1, 2, 3, 4].map((n) => commits.add(aCommit(`p-${n}`), 0, aLease(n)));

      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    it('does not close a later commit', async () => {
      const commits = await create();
      await commits.add(aCommit('p-1'), 0, aLease(1));
      await commits.add(aCommit('p-2'), 1, aLease(2));

      await commits.close(1);

      expect((await commits.latest()).open?.id).toBe('p-2');
    });

    it('stores a commit of any size as a whole', async () => {
      const commits = await create();
      // Random text, because the text of a real plan would be compressed to almost nothing.
      let draw = 1;
      const noise = Array.from({ length: 60_000 }, () => {
        draw = (draw * 48_271) % 2_147_483_647;
        return draw.toString(36);
      }).join('');
      const claims = Array.from({ length: 3 }, (_, index) =>
        aNodeClaim({ name: `general-${index}`, annotations: { noise: `${index}${noise}` } }),
      );

      expect(await commits.add({ id: 'p-1', claims }, 0, aLease(1))).toBe(true);
      expect(await commits.latest()).toEqual({ epoch: 1, open: { id: 'p-1', claims } });
    });
  });
}
