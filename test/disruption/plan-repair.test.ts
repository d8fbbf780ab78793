import { describe, expect, it } from 'vitest';
import { repairNodes } from '../../shared/controllers/node-claim/node-repair.ts';
import { planRepair } from '../../shared/disruption/plan-repair.ts';
import { readNode } from '../../shared/kubernetes/readers/read-node.ts';
import type { Node, NodeTrouble } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  claimsOf,
  type FakeWorld,
} from '../controllers/support/fake-ports.ts';
import { aNode, anInitializedClaim, NOON, nodeLabels } from '../support/builders.ts';

const trouble = (
  condition: string,
  minutes: number,
  status: NodeTrouble['status'] = 'False',
): NodeTrouble => ({ condition, status, since: NOON - minutes * MINUTE_MS });

/** Nodes `n-1`, `n-2`, …; the first ones have the given troubles. */
function aFleetOf(count: number, troubles: readonly (readonly NodeTrouble[])[], pool = 'general') {
  const names = Array.from({ length: count }, (_, index) => `n-${index + 1}`);
  const nodes = names.map((name, index): Node => {
    const unwell = troubles[index];
    const labels = nodeLabels({ 'karpenter.sh/nodepool': pool });
    return aNode({ name, labels, ...(unwell && { ready: false, troubles: unwell }) });
  });
  const claims = names.map((name) =>
    anInitializedClaim(name, { name, launch: { ...launchOf(name) } }),
  );
  return { nodes, claims };
}
const launchOf = (name: string): NonNullable<NodeClaim['launch']> => {
  const { launch } = anInitializedClaim(name);
  if (!launch) throw new Error('not launched');
  return { ...launch, providerId: aNode({ name }).providerId ?? '' };
};

const repaired = (troubles: readonly (readonly NodeTrouble[])[], count = 10) => {
  const { claims, nodes } = aFleetOf(count, troubles);
  return planRepair(claims, nodes, NOON).repairs.map(({ claim }) => claim.name);
};

describe('unhealthy nodes', () => {
  it.each<[string, NodeTrouble, boolean]>([
    ['Ready False for 27 min', trouble('Ready', 27), false],
    ['Ready False for 30 min', trouble('Ready', 30), true],
    ['Ready Unknown for 30 min', trouble('Ready', 30, 'Unknown'), true],
    ['accelerators not ready for 9 min', trouble('AcceleratedHardwareReady', 9), false],
    ['accelerators not ready for 10 min', trouble('AcceleratedHardwareReady', 10), true],
    ['accelerators unknown', trouble('AcceleratedHardwareReady', 99, 'Unknown'), false],
    ['storage not ready for 30 min', trouble('StorageReady', 30), true],
    ['network not ready for 30 min', trouble('NetworkingReady', 30), true],
    ['kernel not ready for 30 min', trouble('KernelReady', 30), true],
    ['runtime not ready for 29 min', trouble('ContainerRuntimeReady', 29), false],
    ['an unknown condition', trouble('PaintReady', 99), false],
  ])('%s: replaced %s', (_, one, isDue) => {
    expect(repaired([[one]])).toEqual(isDue ? ['n-1'] : []);
  });

  it('are repaired for the condition whose tolerance ends first', () => {
    const { claims, nodes } = aFleetOf(5, [
      [trouble('AcceleratedHardwareReady', 9), trouble('Ready', 30)],
    ]);

    expect(planRepair(claims, nodes, NOON).repairs).toMatchObject([
      { trouble: { condition: 'Ready' } },
    ]);
  });

  it.each([
    [10, 3, 0],
    [10, 2, 2],
    [3, 1, 1],
    [1, 1, 1],
  ])('of %i nodes with %i unhealthy, %i are replaced', (count, unhealthy, expected) => {
    const troubles = Array.from({ length: unhealthy }, () => [trouble('Ready', 31)]);

    expect(repaired(troubles, count)).toHaveLength(expected);
  });

  it('count among the unhealthy before they are due', () => {
    const { claims, nodes } = aFleetOf(10, [
      [trouble('Ready', 31)],
      [trouble('Ready', 1)],
      [trouble('Ready', 1)],
    ]);
    const { repairs, blocked } = planRepair(claims, nodes, NOON);

    expect(repairs).toEqual([]);
    expect(blocked).toMatchObject([{ pool: 'general', unhealthy: 3, nodes: 10 }]);
  });

  it('are left alone if the claim has two nodes', () => {
    const { claims, nodes } = aFleetOf(9, [[trouble('Ready', 31)]]);
    const [first] = nodes;
    const twin = first && { ...first, name: 'twin' };

    expect(planRepair(claims, [...nodes, ...(twin ? [twin] : [])], NOON).repairs).toEqual([]);
  });
});

describe('node conditions', () => {
  const read = (...conditions: readonly (readonly [string, string])[]) => {
    const reading = readNode({
      metadata: { name: 'a', uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
      status: {
        conditions: conditions.map(([type, status]) => ({
          type,
          status,
          lastTransitionTime: '2026-01-01T12:00:00Z',
        })),
      },
    });
    return reading.outcome === 'read' ? reading.value.troubles : reading;
  };

  it('report trouble if a condition that should be True is not', () => {
    expect(read(['Ready', 'Unknown'], ['StorageReady', 'False'], ['KernelReady', 'True'])).toEqual([
      { condition: 'Ready', status: 'Unknown', since: NOON },
      { condition: 'StorageReady', status: 'False', since: NOON },
    ]);
  });

  it('report no trouble for a condition that is healthy when False', () => {
    expect(read(['Ready', 'True'], ['MemoryPressure', 'False'])).toBeUndefined();
  });
});

describe('a repair', () => {
  const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, NodeRepair: true } };
  const unwell = { ready: false, troubles: [trouble('Ready', 30)] };

  async function repair(over: Partial<NodeClaim> = {}, gate = true): Promise<FakeWorld> {
    const world = aFakeWorld();
    await addRunning(world, 'a', over, unwell);
    for (const name of 'bcde') await addRunning(world, name);
    const ports = gate ? { ...world.ports, settings } : world.ports;
    await repairNodes(ports, await claimsOf(world), world.objects.nodes);
    return world;
  }

  it("gives the drain no time, whatever the claim's grace period", async () => {
    const world = await repair({ terminationGracePeriodMs: 60 * MINUTE_MS });

    expect(await claimOf(world, 'a')).toMatchObject({
      removal: 'Unhealthy',
      deletingAt: NOON,
      drainDeadline: NOON,
    });
    expect(world.events).toMatchObject([{ kind: 'repair', claim: 'a', condition: 'Ready' }]);
  });

  it('needs its feature gate', async () => {
    expect((await claimOf(await repair({}, false), 'a'))?.deletingAt).toBeUndefined();
  });

  it.each([
    ['later by an earlier one', 120, 0],
    ['past by itself', -3, -3],
  ])('replaces a deadline that is %s', async (_, before, after) => {
    const world = await repair({ drainDeadline: NOON + before * MINUTE_MS });

    expect((await claimOf(world, 'a'))?.drainDeadline).toBe(NOON + after * MINUTE_MS);
  });

  it('only shortens the deadline of a claim that drains already', async () => {
    const world = await repair({ deletingAt: NOON - MINUTE_MS, removal: 'Expired' });

    expect(await claimOf(world, 'a')).toMatchObject({ removal: 'Expired', drainDeadline: NOON });
    expect(world.events).toEqual([]);
  });

  it('is reported with the counts if it is blocked', async () => {
    const world = aFakeWorld();
    for (const name of 'abc') await addRunning(world, name, {}, unwell);
    await repairNodes({ ...world.ports, settings }, await claimsOf(world), world.objects.nodes);

    expect(world.events).toHaveLength(3);
    expect(world.events[0]).toMatchObject({
      kind: 'repair-blocked',
      pool: 'general',
      unhealthy: 3,
      nodes: 3,
    });
  });
});
