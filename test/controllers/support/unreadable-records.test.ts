import { describe, expect, it } from 'vitest';
import { commitCommand } from '../../../shared/controllers/commit/commit-command.ts';
import { commitPlan } from '../../../shared/controllers/commit/commit-plan.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { observeCluster } from '../../../shared/controllers/observe-cluster.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { type CorruptibleRow, withUnreadableRows } from '../../faults/runtime/unreadable-rows.ts';
import { aNodeClaim, aPod, NOON } from '../../support/builders.ts';
import { addInstance, sweepTwice } from '../sweep-world.ts';
import { addRunning, aFakeWorld, type FakeWorld, providerIdOf } from './fake-ports.ts';

const TWO_HOURS_MS = 120 * MINUTE_MS;

/** Two running nodes; the rows of `keys` cannot be read. */
async function aWorldWithout(...keys: readonly `${CorruptibleRow}#${string}`[]): Promise<FakeWorld> {
  const world = aFakeWorld();
  for (const name of ['spoilt', 'sound']) await addRunning(world, name);
  return spoil(world, ...keys);
}

const spoil = (world: FakeWorld, ...keys: readonly string[]): FakeWorld =>
  Object.assign(world, {
    ports: { ...world.ports, ...withUnreadableRows(world.ports, new Set(keys)) },
  });

describe('a NodeClaim whose record cannot be read', () => {
  it('keeps its instance, and others lose theirs as usual', async () => {
    const world = await aWorldWithout('NodeClaim#spoilt');
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'ended', terminatedAt: NOON }), 0);
    addInstance(world, 'ended');
    await sweepTwice(world);

    expect(world.instances.has(providerIdOf('spoilt'))).toBe(true);
    expect(world.instances.has(providerIdOf('ended'))).toBe(false);
  });

  it('keeps an instance that only its launch record names', async () => {
    const world = await aWorldWithout();
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'waiting', launchId: 'l-1' }), 0);
    const providerId = providerIdOf('waiting');
    world.instances.set(providerId, { providerId, claim: '', launchId: 'l-1', state: 'running' });
    const record = { id: 'l-1', attempt: 1, claims: ['waiting'], calledAt: NOON, closedAt: NOON };
    await world.ports.launches.save({ ...record, launches: {} }, 0);
    spoil(world, 'NodeClaim#waiting');
    world.now += TWO_HOURS_MS;
    await sweepTwice(world);

    expect(world.instances.has(providerId)).toBe(true);
    expect((await world.ports.launches.list()).records.map((one) => one.record.id)).toEqual(['l-1']);
  });

  it('is neither launched nor terminated, and its reconciliation fails nothing', async () => {
    const world = await aWorldWithout('NodeClaim#spoilt');
    world.instances.delete(providerIdOf('spoilt'));
    await reconcileNodeClaim(world.ports, 'spoilt');
    world.now += TWO_HOURS_MS;
    await reconcileNodeClaim(world.ports, 'spoilt');

    expect(world.instances.size).toBe(1);
    expect(world.objects.nodes.map(({ name }) => name)).toContain('spoilt');
  });

  it('counts in snapshots as its object in the cluster shows it, and stays', async () => {
    const world = aFakeWorld();
    const claim = await addRunning(world, 'spoilt');
    spoil(world, 'NodeClaim#spoilt');
    const labels = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
    world.objects = {
      ...world.objects,
      nodeClaims: [toNodeClaimObject(claim)],
      nodes: world.objects.nodes.map((node) => ({
        ...node,
        labels: { ...node.labels, ...labels },
      })),
    };
    const snapshot = await observeCluster(world.ports);

    expect(snapshot.claims).toMatchObject([
      {
        name: 'spoilt',
        pool: claim.pool,
        keptByHand: true,
        initializedAt: expect.any(Number) as unknown,
        launch: { providerId: claim.launch?.providerId, allocatable: claim.launch?.allocatable },
      },
    ]);
    expect(snapshot.unreadable).toBeUndefined();
  });

  it('stops launches and removals only if the cluster shows nothing of it', async () => {
    const world = aFakeWorld();
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'spoilt' }), 0);
    spoil(world, 'NodeClaim#spoilt');
    const { unreadable } = await observeCluster(world.ports);

    expect(unreadable).toMatchObject([{ kind: 'NodeClaim record', name: 'spoilt', forbids: ['launch', 'remove'] }]);
  });

  it('makes a plan stale that was made while it could be read', async () => {
    const world = await aWorldWithout('NodeClaim#late');
    const snapshot = await observeCluster(world.ports);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'late' }), 0);
    const claim = aNodeClaim({ name: 'new', decision: 'p-1' });
    const plan = {
      claims: [],
      placements: [{ target: claim.name, pods: [] }],
      unplaced: [],
      hourlyUsd: 0,
    };

    // Saving has replaced the row: it is spoilt again.
    expect(await commitPlan(spoil(world, 'NodeClaim#late').ports, snapshot, plan)).toBe('stale');
  });
});

describe('a launch whose record cannot be read', () => {
  it('is not repeated, and its claim does not time out', async () => {
    const world = await aWorldWithout('Launch#l-1');
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'waiting', launchId: 'l-1' }), 0);
    const record = { id: 'l-1', attempt: 1, claims: ['waiting'], calledAt: NOON, launches: {} };
    await world.ports.launches.save(record, 0);
    spoil(world, 'Launch#l-1');
    world.now += TWO_HOURS_MS;
    await reconcileNodeClaim(world.ports, 'waiting');

    expect(world.instances.size).toBe(2);
    expect((await world.ports.nodeClaims.find('waiting'))?.claim.deletingAt).toBeUndefined();
  });

  it('keeps its instances', async () => {
    const world = await aWorldWithout('Launch#l-1');
    await world.ports.launches.save(
      { id: 'l-1', attempt: 1, claims: [], calledAt: NOON, closedAt: NOON, launches: {} },
      0,
    );
    const providerId = providerIdOf('late');
    world.instances.set(providerId, { providerId, claim: '', launchId: 'l-1', state: 'running' });
    spoil(world, 'Launch#l-1');
    world.now += TWO_HOURS_MS;
    await sweepTwice(world);

    expect(world.instances.has(providerId)).toBe(true);
  });
});

describe('other records that cannot be read', () => {
  it.each(['Commit#latest', 'Command#d-1'] as const)('%s: no node is removed', async (key) => {
    const world = await aWorldWithout(key);
    const command = {
      id: 'd-1',
      reason: 'Empty' as const,
      decidedAt: NOON,
      validatedAt: NOON,
      candidates: [],
      replacements: [],
      placements: [],
      savingHourlyUsd: 0,
    };
    await world.ports.commands.add(command);
    world.now += TWO_HOURS_MS;
    await reconcileDisruption(world.ports);

    const claims = (await world.ports.nodeClaims.list()).records.map(({ claim }) => claim);
    expect(claims.map(({ deletingAt }) => deletingAt)).toEqual([undefined, undefined]);
    expect(world.decisions.every(({ plan }) => !('command' in plan))).toBe(true);
  });

  it('Commit: a command is stale that was decided while it could be read', async () => {
    const world = await aWorldWithout();
    const snapshot = await observeCluster(world.ports);
    const command = {
      ...{ id: 'd-1', reason: 'Empty' as const, decidedAt: NOON, candidates: ['spoilt'] },
      ...{ replacements: [], placements: [], savingHourlyUsd: 0 },
    };

    expect(await commitCommand(spoil(world, 'Commit#latest').ports, command, snapshot)).toBe('stale');
  });

  it('Nomination: removals wait, launches do not', async () => {
    const world = await aWorldWithout('Nomination#latest');

    expect((await observeCluster(world.ports)).unreadable).toMatchObject([{ forbids: ['remove'] }]);
  });

  it('Commit: nothing is launched, and pods learn why', async () => {
    const world = await aWorldWithout('Commit#latest');
    world.objects = { ...world.objects, pods: [aPod({ unschedulableSince: NOON })] };
    world.now += MINUTE_MS;
    await reconcileProvisioning(world.ports);
    await sweep(world.ports);

    expect((await world.ports.nodeClaims.list()).records).toHaveLength(2);
    expect(JSON.stringify(world.decisions)).toContain('state-incomplete');
  });
});
