import { describe, expect, it } from 'vitest';
import { repairNodes } from '../../../shared/controllers/node-claim/node-repair.ts';
import { planRepair } from '../../../shared/disruption/repair/plan-repair.ts';
import { readNode } from '../../../shared/kubernetes/readers/read-node.ts';
import type { Node, NodeTrouble } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Budget, NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  claimsOf,
  type FakeWorld,
  takeHints,
} from '../../controllers/support/fake-ports.ts';
import { aNode, aNodePool, anInitializedClaim, NOON, nodeLabels } from '../../support/builders.ts';

const trouble = (
  condition: string,
  minutes: number,
  status: NodeTrouble['status'] = 'False',
  reason?: string,
): NodeTrouble => ({
  condition,
  status,
  ...(reason !== undefined && { reason }),
  since: NOON - minutes * MINUTE_MS,
});

const gpuFault = (minutes: number, reason?: string): NodeTrouble =>
  trouble('AcceleratedHardwareReady', minutes, 'False', reason);

/** Nodes `n-1`, `n-2`, …; the first ones have the given troubles. */
function aFleetOf(count: number, troubles: readonly (readonly NodeTrouble[])[], pool = 'general') {
  const names = Array.from({ length: count }, (_, index) => `n-${index + 1}`);
  const nodes = names.map((name, index): Node => {
    const unwell = troubles[index];
    const labels = nodeLabels({ 'karpenter.sh/nodepool': pool });
    return aNode({
      name,
      labels,
      createdAt: NOON - DAY_MS,
      ...(unwell && { ready: false, troubles: unwell }),
    });
  });
  const claims = names.map((name) => anInitializedClaim(name, { name, launch: { ...launchOf(name) } }));
  return { claims, objects: { nodes, pools: [aPool()] } };
}

/** A NodePool whose budgets allow what `nodes` says for the reason Unhealthy; without it anything. */
const aPool = (nodes?: string): NodePool => {
  const pool = aNodePool({ name: 'general' });
  const budgets: Budget[] = nodes === undefined ? [] : [{ nodes, reasons: ['Unhealthy'] }];
  return { ...pool, disruption: { ...pool.disruption, budgets } };
};
const launchOf = (name: string): NonNullable<NodeClaim['launch']> => {
  const { launch } = anInitializedClaim(name);
  if (!launch) throw new Error('not launched');
  return { ...launch, providerId: aNode({ name }).providerId ?? '' };
};

const repaired = (troubles: readonly (readonly NodeTrouble[])[], count = 10) => {
  const { claims, objects } = aFleetOf(count, troubles);
  return planRepair(claims, objects, NOON).repairs.map(({ claim }) => claim.name);
};

describe('unhealthy nodes', () => {
  it.each<[string, NodeTrouble, boolean]>([
    ['Ready False for 27 min', trouble('Ready', 27), false],
    ['Ready False for 30 min', trouble('Ready', 30), true],
    ['Ready Unknown for 30 min', trouble('Ready', 30, 'Unknown'), true],
    ['a GPU fault that a reboot ends for 9 min', gpuFault(9, 'NvidiaXID48Error'), false],
    ['a GPU fault that a reboot ends for 10 min', gpuFault(10, 'NvidiaXID48Error'), true],
    ['a fatal GPU fault for 10 min', gpuFault(10, 'NvidiaXID79Error'), true],
    ['an unknown GPU fault for 29 min', gpuFault(29, 'NvidiaXID13Error'), false],
    ['an unknown GPU fault for 30 min', gpuFault(30, 'NvidiaXID13Error'), true],
    ['accelerators not ready for 29 min without a reason', gpuFault(29), false],
    ['accelerators not ready for 30 min without a reason', gpuFault(30), true],
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
    const { claims, objects } = aFleetOf(5, [[gpuFault(9, 'XID48'), trouble('Ready', 30)]]);

    expect(planRepair(claims, objects, NOON).repairs).toMatchObject([
      { trouble: { condition: 'Ready' }, drainMs: 10 * MINUTE_MS },
    ]);
  });

  it('drain as fast as the fault that is due with the shortest drain asks for', () => {
    const { claims, objects } = aFleetOf(5, [[gpuFault(12, 'XID48'), trouble('Ready', 40)]]);

    expect(planRepair(claims, objects, NOON).repairs).toMatchObject([
      { trouble: { condition: 'Ready' }, drainMs: 5 * MINUTE_MS },
    ]);
  });

  it('are not due for a condition that is older than the node', () => {
    const { claims, objects } = aFleetOf(5, [[trouble('Ready', 99)]]);
    const nodes = objects.nodes.map((node) => ({ ...node, createdAt: NOON - 20 * MINUTE_MS }));

    expect(planRepair(claims, { ...objects, nodes }, NOON).repairs).toEqual([]);
  });

  it.each([
    ['a condition that is older than the node', trouble('Ready', 31)],
    ['a fault of an accelerator with any reason', gpuFault(11, 'NeuronDMAError')],
  ])('are due in the legacy mode for %s', (_, fault) => {
    const { claims, objects } = aFleetOf(5, [[fault]]);
    const nodes = objects.nodes.map((node) => ({ ...node, createdAt: NOON - MINUTE_MS }));
    const due = (isLegacy: boolean) =>
      planRepair(claims, { ...objects, nodes }, NOON, { isLegacy }).repairs.map(({ claim }) => claim.name);

    expect(due(true)).toEqual(['n-1']);
    expect(due(false)).toEqual([]);
  });

  it.each([
    ['1', ['n-2']],
    ['2', ['n-2', 'n-1']],
    ['0', []],
    ['10%', ['n-2']],
  ])('are replaced as the budget %s for Unhealthy allows, longest due first', (budget, expected) => {
    const { claims, objects } = aFleetOf(10, [[trouble('Ready', 31)], [trouble('Ready', 45)]]);
    const plan = planRepair(claims, { ...objects, pools: [aPool(budget)] }, NOON);

    expect(plan.repairs.map(({ claim }) => claim.name)).toEqual(expected);
    expect(plan.waiting.map(({ keptBy }) => keptBy)).toEqual(
      Array.from({ length: 2 - expected.length }, () => 'budget'),
    );
  });

  it('share the budget with nodes that are being removed', () => {
    const { claims, objects } = aFleetOf(10, [[trouble('Ready', 31)]]);
    const leaving = claims.map((claim, index) => (index === 5 ? { ...claim, deletingAt: NOON - 1 } : claim));
    const plan = planRepair(leaving, { ...objects, pools: [aPool('1')] }, NOON);

    expect(plan).toMatchObject({ repairs: [], waiting: [{ keptBy: 'budget' }] });
  });

  it('need no budget before they are initialized', () => {
    const { claims, objects } = aFleetOf(10, [[trouble('Ready', 31)]]);
    const starting = claims.map(({ initializedAt: _, ...claim }) => claim);
    const plan = planRepair(starting, { ...objects, pools: [aPool('0')] }, NOON);

    expect(plan.repairs).toHaveLength(1);
  });

  it.each<[string, Partial<NodeClaim>, Partial<Node>]>([
    ['Node', {}, { annotations: { 'karpenter.sh/do-not-repair': 'true' } }],
    ['NodeClaim', { repairVetoed: true }, {}],
  ])('stay if their %s is annotated with do-not-repair', (_, claimOver, nodeOver) => {
    const { claims, objects } = aFleetOf(10, [[trouble('Ready', 31)]]);
    const plan = planRepair(
      claims.map((claim) => ({ ...claim, ...claimOver })),
      { ...objects, nodes: objects.nodes.map((node) => ({ ...node, ...nodeOver })) },
      NOON,
    );

    expect(plan).toMatchObject({ repairs: [], waiting: [{ keptBy: 'annotation' }] });
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
    const { claims, objects } = aFleetOf(10, [[trouble('Ready', 31)], [trouble('Ready', 1)], [trouble('Ready', 1)]]);
    const { repairs, blocked } = planRepair(claims, objects, NOON);

    expect(repairs).toEqual([]);
    expect(blocked).toMatchObject([{ pool: 'general', unhealthy: 3, nodes: 10 }]);
  });

  it('are left alone if the claim has two nodes', () => {
    const { claims, objects } = aFleetOf(9, [[trouble('Ready', 31)]]);
    const { nodes } = objects;
    const [first] = nodes;
    const twin = first && { ...first, name: 'twin' };

    const withTwin = { ...objects, nodes: [...nodes, ...(twin ? [twin] : [])] };

    expect(planRepair(claims, withTwin, NOON).repairs).toEqual([]);
  });
});

describe('node conditions', () => {
  const read = (...conditions: readonly (readonly [string, string, string?])[]) => {
    const reading = readNode({
      metadata: { name: 'a', uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
      status: {
        conditions: conditions.map(([type, status, reason]) => ({
          type,
          status,
          ...(reason !== undefined && { reason }),
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

  it('report the reason of a condition', () => {
    expect(read(['AcceleratedHardwareReady', 'False', 'XID79'])).toMatchObject([
      { condition: 'AcceleratedHardwareReady', reason: 'XID79' },
    ]);
  });

  it('report no trouble for a condition that is healthy when False', () => {
    expect(read(['Ready', 'True'], ['MemoryPressure', 'False'])).toBeUndefined();
  });
});

describe('a repair', () => {
  const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, NodeRepair: true } };
  const unwell = { ready: false, createdAt: NOON - DAY_MS, troubles: [trouble('Ready', 30)] };

  const objectsOf = ({ objects: { nodes } }: FakeWorld) => ({ nodes, pools: [aPool()] });

  /** Node `a` is unhealthy, four others are not. */
  async function repair(over: Partial<NodeClaim> = {}, chosen: DecisionSettings = settings): Promise<FakeWorld> {
    const world = aFakeWorld();
    await addRunning(world, 'a', over, unwell);
    return await sweepNodes(world, chosen);
  }

  async function repairNeverReady(over: Partial<NodeClaim>): Promise<FakeWorld> {
    const world = aFakeWorld();
    const { initializedAt: _, ...claim } = await addRunning(world, 'a', over, unwell);
    await world.ports.nodeClaims.save(claim, 1);
    return await sweepNodes(world, settings);
  }

  async function sweepNodes(world: FakeWorld, chosen: DecisionSettings): Promise<FakeWorld> {
    for (const name of 'bcde') await addRunning(world, name);
    world.sent.length = 0;
    const ports = { ...world.ports, settings: chosen };
    await repairNodes(ports, await claimsOf(world), objectsOf(world));
    return world;
  }

  it('is left to a disruption decision, which launches a replacement first', async () => {
    const world = await repair();

    expect((await claimOf(world, 'a'))?.deletingAt).toBeUndefined();
    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: NOON }]);
  });

  it("of a node that was never ready gives the drain ten minutes, whatever the claim's grace period", async () => {
    const world = await repairNeverReady({ terminationGracePeriodMs: 60 * MINUTE_MS });

    expect(await claimOf(world, 'a')).toMatchObject({
      removal: 'Unhealthy',
      deletingAt: NOON,
      drainDeadline: NOON + 10 * MINUTE_MS,
    });
    expect(world.events).toMatchObject([{ kind: 'repair', claim: 'a', condition: 'Ready' }]);
  });

  it.each<Partial<NodeClaim>>([{}, { repairVetoed: true }])(
    'in the legacy mode ends the node at once: %o',
    async (over) => {
      const world = await repair(over, { ...settings, legacyNodeRepair: true });

      expect(await claimOf(world, 'a')).toMatchObject({ removal: 'Unhealthy', drainDeadline: NOON });
    },
  );

  it('is reported with the annotation that prevents it', async () => {
    const world = await repair({ repairVetoed: true });

    expect((await claimOf(world, 'a'))?.deletingAt).toBeUndefined();
    expect(world.events).toMatchObject([{ kind: 'repair-waits', claim: 'a', keptBy: 'annotation' }]);
  });

  it('needs its feature gate', async () => {
    expect((await claimOf(await repair({}, DEFAULT_SETTINGS), 'a'))?.deletingAt).toBeUndefined();
  });

  it.each([
    ['later by an earlier one', 120, 10],
    ['past by itself', -3, -3],
  ])('replaces a deadline that is %s', async (_, before, after) => {
    const world = await repairNeverReady({ drainDeadline: NOON + before * MINUTE_MS });

    expect((await claimOf(world, 'a'))?.drainDeadline).toBe(NOON + after * MINUTE_MS);
  });

  it('only shortens the deadline of a claim that drains already', async () => {
    const world = await repair({ deletingAt: NOON - MINUTE_MS, removal: 'Expired' });

    expect(await claimOf(world, 'a')).toMatchObject({
      removal: 'Expired',
      drainDeadline: NOON + 10 * MINUTE_MS,
    });
    expect(world.events).toEqual([]);
  });

  it('is reported with the counts if it is blocked', async () => {
    const world = aFakeWorld();
    for (const name of 'abc') await addRunning(world, name, {}, unwell);
    await repairNodes({ ...world.ports, settings }, await claimsOf(world), objectsOf(world));

    expect(world.events).toHaveLength(3);
    expect(world.events[0]).toMatchObject({
      kind: 'repair-blocked',
      pool: 'general',
      unhealthy: 3,
      nodes: 3,
    });
  });
});
