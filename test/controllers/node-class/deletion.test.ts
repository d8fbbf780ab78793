import { describe, expect, it } from 'vitest';
import { aNodeClaim } from '../../support/builders.ts';
import { aResolvedClass } from '../../support/node-classes.ts';
import { aClassWorld, FINALIZER, reconcile, recordOf } from './class-world.ts';

describe('a class that is being deleted', () => {
  it('waits for the last of its claims', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: [FINALIZER] });
    await world.ports.nodeClaims.save(aNodeClaim(), 0);

    await reconcile(world);

    expect(world.released).toEqual([]);
    expect(world.object?.finalizers).toEqual([FINALIZER]);
    expect(world.events).toMatchObject([{ kind: 'class-in-use', nodeClass: 'default', claims: ['general-1'] }]);
  });

  it('is released with its AWS resources, and keeps foreign finalizers', async () => {
    const world = aClassWorld({ isDeleting: true, finalizers: ['other', FINALIZER] });
    await world.classes.records.save(aResolvedClass());

    await reconcile(world);

    expect(world.released).toEqual(['default']);
    expect(await recordOf(world)).toBeUndefined();
    expect(world.object?.finalizers).toEqual(['other']);
  });

  it('stays if a resource could not be removed', async () => {
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
