import { describe, expect, it } from 'vitest';
import type { NodeClasses } from '../../shared/ports/node-classes.ts';
import { NOON } from '../support/builders.ts';
import { aResolvedClass, aWrittenClass } from '../support/node-classes.ts';

/**
 * The contract of every NodeClasses.
 *
 * @param create - an empty store for each test
 */
export function nodeClassesContract(adapter: string, create: () => Promise<NodeClasses>): void {
  describe(`NodeClasses: ${adapter}`, () => {
    it('finds nothing that was never saved', async () => {
      const classes = await create();

      expect(await classes.find('default')).toBeUndefined();
      expect(await classes.list()).toEqual([]);
    });

    it('finds what was saved, with the whole spec that the user wrote', async () => {
      const classes = await create();
      const written = aWrittenClass({
        kubelet: { maxPods: 42, featureGates: { A: true } },
        userData: '#!/bin/bash\n',
        tags: { team: 'a' },
      });
      const { instanceProfile: _, ...without } = aResolvedClass({ name: 'gpu' });

      await classes.save(aResolvedClass({ written }));
      await classes.save(without);

      expect(await classes.find('default')).toEqual(aResolvedClass({ written }));
      expect(await classes.list()).toEqual([aResolvedClass({ written }), without]);
    });

    it('keeps the latest resolution, whichever was written last', async () => {
      const classes = await create();
      const later = aResolvedClass({ resolvedAt: NOON + 1, generation: 2 });

      await classes.save(aResolvedClass());
      await classes.save(later);
      await classes.save(aResolvedClass());

      expect(await classes.find('default')).toEqual(later);
    });

    it('removes a record, and accepts the removal of an absent one', async () => {
      const classes = await create();
      await classes.save(aResolvedClass());

      await classes.remove('default');
      await classes.remove('default');

      expect(await classes.find('default')).toBeUndefined();
    });
  });
}
