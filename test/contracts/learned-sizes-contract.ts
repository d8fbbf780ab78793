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

/** What every memory of sizes keeps. @param create - an empty one for each test */
export function learnedSizesContract(adapter: string, create: () => Promise<LearnedSizes>): void {
  describe(`LearnedSizes: ${adapter}`, () => {
    it('I18: keeps the least that any node has shown', async () => {
      const sizes = await create();
      await sizes.learn(aSize(3840), NOON);
      await sizes.learn(aSize(3900), NOON);
      expect(await sizes.list(NOON)).toEqual([aSize(3840)]);

      await sizes.learn(aSize(3800), NOON);

      expect(await sizes.list(NOON)).toEqual([aSize(3800)]);
    });

    it('takes the least of each resource, and what one node alone has shown', async () => {
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

    it('keeps apart what differs in type, image or setup', async () => {
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

    it('starts anew with what is seen after it was forgotten', async () => {
      const sizes = await create();
      await sizes.learn(aSize(3840), NOON);

      await sizes.learn(aSize(3900), NOON + 61 * DAY_MS);

      expect(await sizes.list(NOON + 61 * DAY_MS)).toEqual([aSize(3900)]);
    });

    it('hears everybody who learns at once', async () => {
      const sizes = await create();
      await Promise.all([3900, 3840, 3870].map((mib) => sizes.learn(aSize(mib), NOON)));

      expect(await sizes.list(NOON)).toEqual([aSize(3840)]);
    });
  });
}
