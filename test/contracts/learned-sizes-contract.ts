import { describe, expect, it } from 'vitest';
import type { LearnedSize } from '../../shared/model/nodes/learned-sizes.ts';
import { GIB, MIB } from '../../shared/model/resources.ts';
import { DAY_MS } from '../../shared/model/time.ts';
import type { LearnedSizes } from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

const aSize = (memoryMib: number, over: Partial<LearnedSize> = {}): LearnedSize => ({
  instanceType: 't3.medium',
  imageId: 'ami-1',
  setup: 'a',
  capacity: { memory: memoryMib * MIB },
  allocatable: { cpu: 1930, memory: (memoryMib - 500) * MIB, pods: 17 },
  ...over,
});

/**
 * The contract of every LearnedSizes.
 *
 * @param create - an empty store for each test
 */
export function learnedSizesContract(adapter: string, create: () => Promise<LearnedSizes>): void {
  describe(`LearnedSizes: ${adapter}`, () => {
    it('keeps the smallest size that any node has shown', async () => {
      const sizes = await create();
      await sizes.learn(aSize(3840), NOON);
      await sizes.learn(aSize(3900), NOON);
      expect(await sizes.list(NOON)).toEqual([aSize(3840)]);

      await sizes.learn(aSize(3800), NOON);

      expect(await sizes.list(NOON)).toEqual([aSize(3800)]);
    });

    it('takes the minimum of each resource, also of resources that only one node reported', async () => {
      const sizes = await create();
      await sizes.learn(aSize(4000, { allocatable: { cpu: 1900, memory: 3 * GIB } }), NOON);
      await sizes.learn(
        aSize(4000, {
          allocatable: { cpu: 1930, memory: 2 * GIB, 'ephemeral-storage': 17 * GIB },
        }),
        NOON,
      );

      expect((await sizes.list(NOON))[0]?.allocatable).toEqual({
        cpu: 1900,
        memory: 2 * GIB,
        'ephemeral-storage': 17 * GIB,
      });
    });

    it('separates sizes of different type, image or setup', async () => {
      const sizes = await create();
      const all = [
        aSize(3840),
        aSize(3840, { instanceType: 't3.large' }),
        aSize(3840, { imageId: 'ami-2' }),
        aSize(3840, { setup: 'b' }),
      ];
      for (const size of all) await sizes.learn(size, NOON);

      expect(new Set(await sizes.list(NOON))).toEqual(new Set(all));
    });

    it('forgets a size 60 days after its last node', async () => {
      const sizes = await create();
      await sizes.learn(aSize(3840), NOON);
      await sizes.learn(aSize(3840), NOON + 30 * DAY_MS);

      expect(await sizes.list(NOON + 90 * DAY_MS - 1)).toEqual([aSize(3840)]);
      expect(await sizes.list(NOON + 90 * DAY_MS)).toEqual([]);
    });

    it('starts again from the next observation after a size was forgotten', async () => {
      const sizes = await create();
      await sizes.learn(aSize(3840), NOON);

      await sizes.learn(aSize(3900), NOON + 61 * DAY_MS);

      expect(await sizes.list(NOON + 61 * DAY_MS)).toEqual([aSize(3900)]);
    });

    it('counts every one of several observations at the same time', async () => {
      const sizes = await create();
      await Promise.all([3900, 3840, 3870].map((mib) => sizes.learn(aSize(mib), NOON)));

      expect(await sizes.list(NOON)).toEqual([aSize(3840)]);
    });
  });
}
