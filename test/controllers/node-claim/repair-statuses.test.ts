import { expect, it } from 'vitest';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { addRunning, aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

const NAME = 'general-1';

/** Counts the projections of the next sweep. */
async function sweepAndCount(world: FakeWorld): Promise<number> {
  let count = 0;
  const { cluster } = world.ports;
  await sweep({
    ...world.ports,
    cluster: {
      ...cluster,
      async projectNodeClaim(...args) {
        count += 1;
        await cluster.projectNodeClaim(...args);
      },
    },
  });
  return count;
}

it('the sweep writes the status of a NodeClaim that is behind its record, and no other', async () => {
  const world = aFakeWorld();
  const claim = await addRunning(world, NAME, { isTagged: true });
  expect(await sweepAndCount(world)).toBe(0);

  // The process that initialized the claim crashed before it wrote the status.
  const { initializedAt: _, consolidatableSince: __, ...before } = claim;
  world.claimObjects.set(NAME, toNodeClaimObject(before));
  expect(await sweepAndCount(world)).toBe(1);
  expect(world.claimObjects.get(NAME)?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Initialized', status: 'True' }),
  );
});

it('conditions of other writers cause no repair', async () => {
  const world = aFakeWorld();
  const claim = await addRunning(world, NAME, { isTagged: true });
  const object = toNodeClaimObject(claim);
  const other = { type: 'Other', status: 'True', reason: 'Other', message: '' } as const;
  world.claimObjects.set(NAME, { ...object, conditions: [...object.conditions, other] });

  expect(await sweepAndCount(world)).toBe(0);
});
