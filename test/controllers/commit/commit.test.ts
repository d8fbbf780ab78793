import { describe, expect, it } from 'vitest';
import { commitCommand } from '../../../shared/controllers/commit/commit-command.ts';
import { commitPlan } from '../../../shared/controllers/commit/commit-plan.ts';
import { observeCluster } from '../../../shared/controllers/observe-cluster.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { DisruptionCommand, ProvisioningPlan } from '../../../shared/model/plans.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aNodeClaim, anOffering, NOON, podsOf } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld } from '../support/fake-ports.ts';

const TERM = { holder: 'other', now: NOON, forMs: 5 * SECOND_MS };

/** A plan that is computed but not committed, for pods that need three nodes. */
async function withPlan(): Promise<{
  world: FakeWorld;
  snapshot: ClusterSnapshot;
  plan: ProvisioningPlan;
}> {
  const world = aFakeWorld({ pods: podsOf(3) });
  world.now = NOON + 2 * SECOND_MS;
  const snapshot = await observeCluster(world.ports);
  return { world, snapshot, plan: planProvisioning(snapshot, 'p-1') };
}

const outcomeOf = (committed: Awaited<ReturnType<typeof commitPlan>>): string =>
  committed === 'stale' ? 'stale' : 'committed';

describe('committing a plan', () => {
  it('records all of its claims and launches nothing', async () => {
    const { world, snapshot, plan } = await withPlan();

    const committed = await commitPlan(world.ports, snapshot, plan);
    if (committed !== 'stale') await committed.finish();

    expect((await claimsOf(world)).map(({ name }) => name)).toEqual(plan.claims.map(({ claim }) => claim.name));
    expect(new Set((await claimsOf(world)).map(({ launchId }) => launchId))).toEqual(new Set(['p-1-0']));
    expect(await world.ports.commits.latest()).toEqual({ epoch: 1 });
    expect(world.instances.size).toBe(0);
  });

  it.each<[string, (world: FakeWorld) => Promise<unknown>]>([
    [
      'another plan was committed since',
      async ({ ports }) => {
        const lease = await ports.leases.acquire('commit', TERM);
        if (lease) await ports.commits.add({ id: 'p-0', claims: [] }, 0, lease);
        if (lease) await ports.leases.release(lease);
      },
    ],
    [
      'a standalone claim uses its pool since',
      ({ ports }) => ports.nodeClaims.save(aNodeClaim({ name: 'by-hand' }), 0),
    ],
    ['another process commits right now', ({ ports }) => ports.leases.acquire('commit', TERM)],
    [
      'Karpenter is running again',
      async (world) => {
        world.leases.karpenterRenewedAt = world.now;
        world.now += 2 * SECOND_MS;
      },
    ],
  ])('returns stale when %s', async (_, happen) => {
    const { world, snapshot, plan } = await withPlan();
    await happen(world);
    const before = await claimsOf(world);

    expect(outcomeOf(await commitPlan(world.ports, snapshot, plan))).toBe('stale');
    expect(await claimsOf(world)).toEqual(before);
  });

  it('records its claims although a node that it fills starts to be deleted', async () => {
    const world = aFakeWorld({ pods: podsOf(3) });
    const claim = await addRunning(world, 'general-1');
    world.now = NOON + 2 * SECOND_MS;
    const snapshot = await observeCluster(world.ports);
    const plan = planProvisioning(snapshot, 'p-1');
    expect(plan.placements).toMatchObject([{ target: 'general-1' }]);
    await world.ports.nodeClaims.save({ ...claim, deletingAt: world.now }, 1);

    expect(outcomeOf(await commitPlan(world.ports, snapshot, plan))).toBe('committed');
    expect(await claimsOf(world)).toHaveLength(1 + plan.claims.length);
    expect(plan.claims.length).toBeGreaterThan(0);
  });

  it('refuses the write of a holder that slept past its lease', async () => {
    const { world, snapshot, plan } = await withPlan();
    const { leases } = world.ports;
    const sleepy = {
      ...world.ports,
      commits: {
        ...world.ports.commits,
        // Another process acquires the lease between the last read and the write.
        add: async (...args: Parameters<typeof world.ports.commits.add>) => {
          world.now += 10 * SECOND_MS;
          const lease = await leases.acquire('commit', { ...TERM, now: world.now });
          if (lease) await world.ports.commits.add({ id: 'p-0', claims: [] }, 0, lease);
          return world.ports.commits.add(...args);
        },
      },
    };

    expect(outcomeOf(await commitPlan(sleepy, snapshot, plan))).toBe('stale');
    expect(await claimsOf(world)).toEqual([]);
  });

  it('lets the next reader recover the commit after a crash right after the write', async () => {
    const { world, snapshot, plan } = await withPlan();
    const lease = await world.ports.leases.acquire('commit', TERM);
    const claims = plan.claims.map(({ claim }) => claim);
    if (lease) await world.ports.commits.add({ id: 'p-1', claims }, 0, lease);

    const next = await observeCluster(world.ports);

    expect(next).toMatchObject({ epoch: 1 });
    expect(next.claims).toEqual(claims);
    expect(next.pods).toEqual(snapshot.pods);
    expect(await world.ports.commits.latest()).toEqual({ epoch: 1 });
  });
});

describe('a commit that is recovered late', () => {
  it('does not bring back a claim that is terminated by now', async () => {
    const { world, plan } = await withPlan();
    const lease = await world.ports.leases.acquire('commit', TERM);
    const claims = plan.claims.map(({ claim }) => claim);
    if (lease) await world.ports.commits.add({ id: 'p-1', claims }, 0, lease);
    const [first] = claims;
    if (!first) throw new Error('no claims');
    await world.ports.nodeClaims.save({ ...first, terminatedAt: world.now }, 0);

    await observeCluster(world.ports);

    expect([...world.projected.keys()]).toEqual(claims.slice(1).map(({ name }) => name));
    expect(await claimsOf(world)).toHaveLength(claims.length - 1);
  });
});

describe('committing a command', () => {
  const command = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
    id: 'd-1',
    reason: 'Underutilized',
    decidedAt: NOON,
    validatedAt: NOON,
    candidates: ['a'],
    replacements: [],
    placements: [{ target: 'b', pods: ['default/web-1'] }],
    savingHourlyUsd: 0.1,
    ...over,
  });
  const replaced = command({
    replacements: [{ claim: aNodeClaim({ name: 'new' }), pods: [], cheapest: anOffering() }],
  });

  async function withNodes(): Promise<{ world: FakeWorld; snapshot: ClusterSnapshot }> {
    const world = aFakeWorld();
    for (const name of ['a', 'b', 'c']) await addRunning(world, name);
    return { world, snapshot: await observeCluster(world.ports) };
  }

  it('records the command and its replacements', async () => {
    const { world, snapshot } = await withNodes();

    expect(await commitCommand(world.ports, replaced, snapshot)).toBe('committed');
    expect((await world.ports.commands.list()).records).toMatchObject([{ id: 'd-1' }]);
    expect((await claimsOf(world)).map(({ name }) => name)).toContain('new');
    expect(Object.keys(await world.ports.nominations.list(NOON))).toEqual(['b']);
  });

  it('ignores a plan that was committed since and touches none of its nodes', async () => {
    const { world, snapshot } = await withNodes();
    const lease = await world.ports.leases.acquire('commit', TERM);
    if (lease) await world.ports.commits.add({ id: 'p-1', claims: [] }, 0, lease);
    if (lease) await world.ports.leases.release(lease);
    await world.ports.nominations.nominate(['c'], NOON + SECOND_MS);

    expect(await commitCommand(world.ports, command(), snapshot)).toBe('committed');
  });

  it.each<[string, DisruptionCommand, (world: FakeWorld) => Promise<unknown>]>([
    [
      'pods were planned onto its node since',
      command(),
      ({ ports }) => ports.nominations.nominate(['a'], NOON + SECOND_MS),
    ],
    [
      'pods were planned onto its target node since',
      command(),
      ({ ports }) => ports.nominations.nominate(['b'], NOON + SECOND_MS),
    ],
    ['another command took its node', command(), ({ ports }) => ports.commands.add(command({ id: 'd-0' }))],
    [
      'the pool that it launches from has grown',
      replaced,
      ({ ports }) => ports.nodeClaims.save(aNodeClaim({ name: 'grown' }), 0),
    ],
  ])('returns stale when %s', async (_, decided, happen) => {
    const { world, snapshot } = await withNodes();
    await happen(world);

    expect(await commitCommand(world.ports, decided, snapshot)).toBe('stale');
  });

  it.each([
    ['stale', 'no launch of this minute is left for the replacement', 3],
    ['committed', 'one is', 4],
  ])('returns %s if another pool has grown since and %s', async (outcome, _, launchesPerMinute) => {
    const { world, snapshot } = await withNodes();
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'grown', pool: 'static' }), 0);
    const ports = { ...world.ports, launchCaps: { launchesPerMinute, hourlyUsd: 100 } };

    expect(await commitCommand(ports, replaced, snapshot)).toBe(outcome);
  });
});
