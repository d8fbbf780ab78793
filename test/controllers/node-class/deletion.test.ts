import { describe, expect, it } from 'vitest';
import { aNodeClaim } from '../../support/builders.ts';
import { aResolvedClass } from '../../support/node-classes.ts';
import { aClassWorld, FINALIZER, reconcile, recordOf } from './class-world.ts';

describe('a class that is being deleted', () => {
  it('D40: waits for the last of its claims', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: [FINALIZER] });
    await world.ports.nodeClaims.save(aNodeClaim(), 0);

    await reconcile(world);

    expect(world.released).toEqual([]);
    expect(world.object?.finalizers).toEqual([FINALIZER]);
  });

  it('D40: goes with what was made for it, and leaves others their finalizers', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: ['other', FINALIZER] });
    await world.classes.records.save(aResolvedClass());

    await reconcile(world);

    expect(world.released).toEqual(['default']);
    expect(await recordOf(world)).toBeUndefined();
    expect(world.object?.finalizers).toEqual(['other']);
  });

  it('D41: stays if something could not be taken away', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: [FINALIZER] });
    world.resources = {
      release: async () => {
        throw new Error('DeleteConflict');
      },
    };

    await expect(reconcile(world)).rejects.toThrow();
    expect(world.object?.finalizers).toEqual([FINALIZER]);
  });
});
