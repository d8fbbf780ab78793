import { beforeEach, describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import type { NodeClassReadiness } from '../../../shared/model/nodes/node-class.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { aNodeClaim, anInstanceType, NOON } from '../../support/builders.ts';
import { aFakeWorld, claimOf, type FakeWorld, takeHints } from '../support/fake-ports.ts';

const NAME = 'by-hand';
const CLASS = 'default';

describe('a standalone NodeClaim whose EC2NodeClass is not usable yet', () => {
  let world: FakeWorld;
  beforeEach(() => {
    world = aFakeWorld({ pools: [] });
    world.claimObjects.set(NAME, {
      ...toNodeClaimObject(aNodeClaim({ name: NAME, createdAt: NOON })),
      finalizers: [],
    });
    evaluateClass([]);
    world.catalogue.types = [];
  });

  function evaluateClass(nodeClassReadiness: readonly NodeClassReadiness[]): void {
    world.objects = { ...world.objects, nodeClassReadiness };
  }

  const notReady = (condition: string): NodeClassReadiness => ({
    name: CLASS,
    notReady: { condition, message: 'a reason' },
  });

  async function reconcileAt(at: number): Promise<void> {
    world.now = at;
    await reconcileNodeClaim(world.ports, NAME);
  }

  const conditions = () => world.claimObjects.get(NAME)?.conditions;

  it('waits for a class that is not evaluated, and is launched once it is', async () => {
    evaluateClass([notReady('NodeClassReadinessUnknown')]);
    await reconcileAt(NOON);

    expect(conditions()).toMatchObject([{ type: 'Launched', status: 'Unknown', reason: 'NodeClassReadinessUnknown' }]);
    expect(world.events).toEqual([]);
    expect(takeHints(world)).toEqual([{ hint: { topic: 'claim', claim: NAME }, at: NOON + SECOND_MS }]);

    evaluateClass([{ name: CLASS }]);
    world.catalogue.types = [anInstanceType()];
    await reconcileAt(NOON + SECOND_MS);
    expect(await claimOf(world, NAME)).toMatchObject({ launch: { instanceType: 'm7i.large' } });
  });

  it('is not launched with a requirement that no label can meet', async () => {
    const requirements = [{ key: 'team', operator: 'In', values: ["a'; reboot; '"] } as const];
    const object = toNodeClaimObject(aNodeClaim({ name: NAME, createdAt: NOON, requirements }));
    world.claimObjects.set(NAME, { ...object, finalizers: [] });
    evaluateClass([{ name: CLASS }]);
    world.catalogue.types = [anInstanceType()];
    await reconcileAt(NOON);

    expect(world.claimObjects.has(NAME)).toBe(false);
    expect(await claimOf(world, NAME)).toBeUndefined();
  });

  it('waits while the resolved class is not stored, although its object is ready', async () => {
    evaluateClass([{ name: CLASS }]);
    await reconcileAt(NOON);

    expect(conditions()).toMatchObject([{ reason: 'NodeClassReadinessUnknown' }]);
    expect(world.events).toEqual([]);
  });

  it('waits for a class that exists but cannot be read', async () => {
    const unreadable = [{ kind: 'EC2NodeClass', name: CLASS, why: 'odd', forbids: [] }] as const;
    world.objects = { ...world.objects, unreadable };
    await reconcileAt(NOON + 30 * SECOND_MS);

    expect(conditions()).toMatchObject([{ reason: 'NodeClassReadinessUnknown', message: 'odd' }]);
  });

  it('ends if the class is not evaluated within the launch timeout', async () => {
    evaluateClass([notReady('NodeClassReadinessUnknown')]);
    await reconcileAt(NOON + 5 * MINUTE_MS - 1);
    expect(world.claimObjects.has(NAME)).toBe(true);

    await reconcileAt(NOON + 5 * MINUTE_MS);
    expect(world.claimObjects.has(NAME)).toBe(false);
    expect(world.events).toMatchObject([{ kind: 'class-not-ready', isGivenUp: true }]);
  });

  it.each([
    ['does not exist', [], 'NodeClassNotFound'],
    ['is not ready', [notReady('SubnetsNotFound')], 'SubnetsNotFound'],
  ])('waits 30 s for a class that %s, reports it once and ends', async (_, classes, reason) => {
    evaluateClass(classes);
    await reconcileAt(NOON);
    await reconcileAt(NOON + SECOND_MS);
    expect(conditions()).toMatchObject([{ type: 'Launched', status: 'Unknown', reason }]);
    expect(world.events).toMatchObject([{ kind: 'class-not-ready', claim: NAME, nodeClass: CLASS, reason }]);

    await reconcileAt(NOON + 30 * SECOND_MS);
    expect(world.claimObjects.has(NAME)).toBe(false);
    expect(world.events).toHaveLength(2);
    expect(world.events[1]).toMatchObject({ kind: 'class-not-ready', isGivenUp: true });
  });
});
