import { describe, expect, it } from 'vitest';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { listBufferStatuses, listOverlayStatuses } from '../../../shared/controllers/node-pool/extensions.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ExtensionStatus } from '../../../shared/model/nodes/reported-status.ts';
import type { NodeOverlay } from '../../../shared/model/offerings/node-overlay.ts';
import type { CapacityBuffer } from '../../../shared/model/pods/capacity-buffer.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import type { ClusterObjects } from '../../../shared/ports/cluster.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { withUnreadableRows } from '../../faults/runtime/unreadable-rows.ts';
import { aCluster, need, requesting, TYPE } from '../../scheduling/support/fixture.ts';
import { carryOut } from '../../scheduling/support/provision.ts';
import { aNodePool, aPod, aPodSpec, aPodTemplate, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld, takeHints } from '../support/fake-ports.ts';

const settings = {
  ...DEFAULT_SETTINGS,
  gates: { ...DEFAULT_GATES, CapacityBuffer: true, NodeOverlay: true, StaticCapacity: true },
};

const aBuffer = (over: Partial<CapacityBuffer> = {}): CapacityBuffer => ({
  namespace: 'shop',
  name: 'spare',
  uid: 'uid-1',
  generation: 3,
  strategy: 'buffer.x-k8s.io/active-capacity',
  template: aPodTemplate({ spec: aPodSpec({ requests: requesting(1) }) }),
  replicas: 2,
  ...over,
});

const clusterWith = (over: Partial<ClusterSnapshot>): ClusterSnapshot => aCluster({ settings, ...over });

const conditionsOf = (statuses: readonly ExtensionStatus[]): string[] =>
  statuses.flatMap(({ name, conditions }) =>
    conditions.map(({ type, status, reason }) => `${name} ${type}=${status} ${reason}`),
  );

describe('the status of a CapacityBuffer', () => {
  it('shows that new capacity is needed, until there is room', () => {
    const cluster = clusterWith({ buffers: [aBuffer()] });
    expect(conditionsOf(listBufferStatuses(cluster))).toEqual([
      'spare ReadyForProvisioning=True Resolved',
      'spare Provisioning=False RequiresNewCapacity',
    ]);

    const started = carryOut(cluster, planProvisioning(cluster, 'd'));
    expect(conditionsOf(listBufferStatuses(started))).toEqual([
      'spare ReadyForProvisioning=True Resolved',
      'spare Provisioning=True FitsExistingCapacity',
    ]);
  });

  it('shows for how many pods room is kept, and by which template', () => {
    const templateRef = { name: 'web', generation: 7 };
    const [status] = listBufferStatuses(clusterWith({ buffers: [aBuffer({ templateRef })] }));
    expect(status).toMatchObject({
      kind: 'CapacityBuffer',
      namespace: 'shop',
      generation: 3,
      fields: { podTemplateRef: { name: 'web' }, podTemplateGeneration: 7, replicas: 2 },
    });
  });

  it.each<[string, Partial<CapacityBuffer>, string[]]>([
    [
      'its reference does not exist',
      { problem: { reason: 'PodTemplateNotFound', message: 'there is no PodTemplate shop/web' } },
      ['spare ReadyForProvisioning=False PodTemplateNotFound', 'spare Provisioning=False NotReadyForProvisioning'],
    ],
    [
      'it is for no pods',
      { replicas: 0 },
      ['spare ReadyForProvisioning=True Resolved', 'spare Provisioning=False BufferEmpty'],
    ],
  ])('shows that %s', (_, over, expected) => {
    expect(conditionsOf(listBufferStatuses(clusterWith({ buffers: [aBuffer(over)] })))).toEqual(expected);
  });
});

describe('the status of a NodeOverlay', () => {
  const anOverlay = (name: string, over: Partial<NodeOverlay> = {}): NodeOverlay => ({
    name,
    uid: name,
    generation: 1,
    weight: 0,
    requirements: [need(TYPE, 'In', 'small')],
    price: { kind: 'set', usd: 1 },
    capacity: {},
    ...over,
  });

  it('shows which of two conflicting overlays is not applied, and the fault of a third', () => {
    const overlays = [anOverlay('a'), anOverlay('b'), anOverlay('c', { fault: 'restricted' })];
    expect(conditionsOf(listOverlayStatuses(clusterWith({ overlays })))).toEqual([
      'a ValidationSucceeded=False Conflict',
      'a Ready=False Conflict',
      'b ValidationSucceeded=True ValidationSucceeded',
      'b Ready=True ValidationSucceeded',
      'c ValidationSucceeded=False RuntimeValidation',
      'c Ready=False RuntimeValidation',
    ]);
  });
});

describe('the sweep', () => {
  const worldWith = (over: Partial<ClusterObjects>): FakeWorld => {
    const world = aFakeWorld(over);
    return Object.assign(world, { ports: { ...world.ports, settings } });
  };
  const isStatic = { replicas: 2 };

  it('requests a plan for a static pool that lacks nodes, and that plan launches them', async () => {
    const world = worldWith({ pools: [aNodePool(isStatic)] });

    await sweep(world.ports);
    expect(takeHints(world).map(({ hint }) => hint.topic)).toContain('plan');

    await reconcileProvisioning(world.ports);
    expect((await claimsOf(world)).map(({ pool, launch }) => [pool, launch !== undefined])).toEqual([
      ['general', true],
      ['general', true],
    ]);

    takeHints(world);
    await sweep(world.ports);
    expect(takeHints(world).map(({ hint }) => hint.topic)).not.toContain('plan');
  });

  it('removes surplus nodes of a static pool', async () => {
    const world = worldWith({ pools: [aNodePool({ replicas: 1 })] });
    await addRunning(world, 'general-1');
    await addRunning(world, 'general-2');

    await sweep(world.ports);

    const going = (await claimsOf(world)).filter(({ deletingAt }) => deletingAt !== undefined);
    expect(going.map(({ name, removal }) => [name, removal])).toEqual([['general-1', 'Requested']]);
  });

  it('removes none while a command cannot be read: a node may be under replacement', async () => {
    const world = worldWith({ pools: [aNodePool({ replicas: 1 })] });
    await addRunning(world, 'general-1');
    await addRunning(world, 'general-2');
    const command = {
      ...{ id: 'd-1', reason: 'Drifted' as const, decidedAt: NOON, validatedAt: NOON },
      ...{ candidates: ['general-2'], replacements: [], placements: [], savingHourlyUsd: 0 },
    };
    await world.ports.commands.add(command);
    const unreadable = withUnreadableRows(world.ports, new Set(['Command#d-1']));

    await sweep({ ...world.ports, ...unreadable });

    expect((await claimsOf(world)).map(({ deletingAt }) => deletingAt)).toEqual([undefined, undefined]);
  });

  it('shows the status of buffers, and has room planned for them', async () => {
    const world = worldWith({ buffers: [aBuffer()] });

    await sweep(world.ports);

    expect([...world.extensionStatuses.keys()]).toEqual(['CapacityBuffer spare']);
    expect(takeHints(world).map(({ hint }) => hint.topic)).toContain('plan');
    await reconcileProvisioning(world.ports);
    expect(await claimsOf(world)).toHaveLength(2);
    // The room exists or is being launched: nothing is launched twice.
    await reconcileProvisioning(world.ports);
    expect(await claimsOf(world)).toHaveLength(2);
  });
});

it('reports no event for pods that wait for the next plan, and requests that plan at once', async () => {
  const world = aFakeWorld({
    pods: ['a', 'b'].map((name) => aPod({ name, spec: aPodSpec({ requests: requesting(1.5), nodeSelector: LARGE }) })),
  });
  const [offering] = world.catalogue.offerings;
  const reservation = { id: 'cr-1', kind: 'default' as const, isInterruptible: false, free: 1 };
  const reserved = offering && {
    ...offering,
    capacityType: 'reserved' as const,
    hourlyUsd: 1e-8,
    reservation,
  };
  world.catalogue = {
    ...world.catalogue,
    offerings: [...world.catalogue.offerings, ...(reserved ? [reserved] : [])],
  };

  await reconcileProvisioning(world.ports);

  expect(await claimsOf(world)).toHaveLength(1);
  expect(world.events.filter(({ kind }) => kind === 'unplaced')).toEqual([]);
  expect(takeHints(world).map(({ hint }) => hint.topic)).toContain('plan');
});

const LARGE = { [TYPE]: 'm7i.large' };

describe('a CapacityBuffer that was created', () => {
  it('has a status after the disruption run that its creation requests', async () => {
    const world = aFakeWorld({ buffers: [aBuffer()] });
    await reconcileDisruption({ ...world.ports, settings });

    expect(conditionsOf([...world.extensionStatuses.values()])).toEqual([
      'spare ReadyForProvisioning=True Resolved',
      'spare Provisioning=False RequiresNewCapacity',
    ]);
  });
});
