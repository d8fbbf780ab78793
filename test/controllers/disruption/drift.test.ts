import { describe, expect, it } from 'vitest';
import { computeClassHash } from '../../../shared/api/stored-objects/static-drift.ts';
import { recordDriftFailure, recordDriftSuccess } from '../../../shared/controllers/disruption/drift-backoff.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { recordFailedStart } from '../../../shared/controllers/disruption/rollouts.ts';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNodePool, anInitializedClaim, aSnapshot, NOON } from '../../support/builders.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { anImage, aResolvedClass } from '../../support/node-classes.ts';
import { addRunning, aFakeWorld, claimOf, type FakeWorld } from '../support/fake-ports.ts';

const resolved = aResolvedClass({ images: [anImage({ id: 'ami-1', requirements: [] })] });
const HASH = computeClassHash('default', resolved.written, resolved.cluster.certificateAuthority)?.hash ?? '';
const made = {
  imageId: 'ami-1',
  subnetId: 'subnet-a',
  securityGroupIds: ['sg-1'],
  nodeClassHash: HASH,
  nodeClassHashVersion: 's1',
};
const HASHES = { nodeClassHash: HASH, nodeClassHashVersion: 's1' };
/** Only drift replaces nodes of this pool. */
const pool = aNodePool({
  disruption: {
    consolidateAfterMs: 'Never',
    policy: 'WhenEmpty',
    budgets: [{ nodes: '0' }],
  },
});

const look = ({ ports }: FakeWorld): Promise<void> =>
  reconcileDisruption({ ...ports, nodeClasses: { list: async () => [resolved] } });
const withNode = async (over: Partial<NodeClaim>, pools = [pool]): Promise<FakeWorld> => {
  const world = aFakeWorld({ pools });
  await addRunning(world, 'a', over);
  world.now = NOON + 2 * MINUTE_MS;
  return world;
};
const launch = (over: Partial<typeof made> = {}) => aLaunch({ providerId: 'aws:///us-east-1a/i-a', ...made, ...over });

describe('the drift mark of a claim', () => {
  it('is stored, reported once, and removed when the claim matches again', async () => {
    const world = await withNode({ launch: launch() }, [{ ...pool, hash: 'other' }]);
    await look(world);
    const since = world.now;
    world.now += MINUTE_MS;
    await look(world);

    const drift = {
      reason: 'NodePoolDrifted',
      text: 'the template of NodePool general has changed',
      since,
    };
    expect(await claimOf(world, 'a')).toMatchObject({ drift });
    expect(world.projected.get('a')).toMatchObject({ drift });
    expect(world.events).toEqual([{ kind: 'drifted', at: since, claim: 'a', reason: drift.reason, text: drift.text }]);

    world.objects = { ...world.objects, pools: [pool] };
    await look(world);
    expect((await claimOf(world, 'a'))?.drift).toBeUndefined();
  });

  it('shows in the condition of the NodePool in the same step, when it is set and when it ends', async () => {
    const world = await withNode({ launch: launch() }, [{ ...pool, hash: 'other' }]);
    const readCondition = () =>
      world.poolStatuses.get('general')?.conditions.find(({ type }) => type === 'RolloutComplete')?.status;
    await look(world);
    expect(readCondition()).toBe('False');

    world.objects = { ...world.objects, pools: [{ ...pool, isRollingOut: true }] };
    await look(world);
    expect(readCondition()).toBe('True');
  });

  it('keeps its first time when the reason changes', async () => {
    const world = await withNode({ launch: launch({ imageId: 'ami-0' }) });
    await look(world);
    const since = world.now;
    world.now += MINUTE_MS;
    world.objects = { ...world.objects, pools: [{ ...pool, hash: 'other' }] };
    await look(world);

    expect((await claimOf(world, 'a'))?.drift).toMatchObject({ reason: 'NodePoolDrifted', since });
  });

  it.each<[string, Partial<NodeClaim>, Partial<NodeClaim>]>([
    [
      'gets the current hashes if its own were computed by another version',
      {
        poolHash: 'karpenter',
        poolHashVersion: 'v3',
        launch: launch({ nodeClassHash: 'x', nodeClassHashVersion: 'v6' }),
      },
      { poolHash: 'hash-general', poolHashVersion: 's1', launch: launch() },
    ],
    [
      'gets hashes on a node that another release launched',
      { launch: aLaunch({ providerId: 'aws:///us-east-1a/i-a', imageId: 'ami-1' }) },
      { launch: aLaunch({ ...HASHES, providerId: 'aws:///us-east-1a/i-a', imageId: 'ami-1' }) },
    ],
  ])('%s', async (_, before, after) => {
    const world = await withNode(before);
    await look(world);

    expect(await claimOf(world, 'a')).toMatchObject(after);
    expect((await claimOf(world, 'a'))?.drift).toBeUndefined();
  });

  it('changes only its version on a claim that has already drifted', async () => {
    const drift = { reason: 'NodePoolDrifted', text: 'x', since: NOON } as const;
    const world = await withNode({
      poolHash: 'karpenter',
      poolHashVersion: 'v3',
      drift,
      launch: launch(),
    });
    await look(world);

    const claim = await claimOf(world, 'a');
    expect(claim).toMatchObject({ poolHash: 'karpenter', poolHashVersion: 's1' });
    expect(claim?.drift).toMatchObject({ reason: 'NodePoolDrifted', since: NOON });
  });

  it('stays as it is while drift cannot be determined', async () => {
    const drift = { reason: 'AMIDrift', text: 'x', since: NOON } as const;
    const world = await withNode({ drift, launch: launch() });
    await reconcileDisruption({
      ...world.ports,
      nodeClasses: { list: async () => [{ ...resolved, images: [] }] },
    });

    expect((await claimOf(world, 'a'))?.drift).toEqual(drift);
  });
});

const command = (id: string): DisruptionCommand => ({
  id,
  reason: 'Drifted',
  decidedAt: NOON,
  candidates: ['a'],
  replacements: [],
  placements: [],
  savingHourlyUsd: 0,
});
const snapshot: ClusterSnapshot = aSnapshot({ claims: [anInitializedClaim('a', { name: 'a' })] });

describe('a pool whose drifted nodes cannot be replaced', () => {
  const backoff = async ({ ports }: FakeWorld) => (await ports.poolBackoffs.list('drift'))[0];

  it.each([
    [1, 30, 60],
    [2, 60, 120],
    [3, 120, 240],
    [4, 240, 480],
    [5, 300, 600],
    [6, 300, 600],
  ])('backs off after failure %i for between %i and %i s', async (failures, min, max) => {
    for (const id of ['d-1', 'd-2', 'd-3', 'd-4', 'd-5']) {
      const world = aFakeWorld();
      const before = { pool: 'general', failures: failures - 1, until: NOON };
      if (failures > 1) await world.ports.poolBackoffs.save('drift', before);
      await recordDriftFailure(world.ports, command(id), snapshot);

      const result = await backoff(world);
      expect(result?.failures).toBe(failures);
      expect(result?.until).toBeGreaterThanOrEqual(NOON + min * SECOND_MS);
      expect(result?.until).toBeLessThan(NOON + max * SECOND_MS);
    }
  });

  it('counts its backoffs, and gauges their remaining time', async () => {
    const world = aFakeWorld();
    const telemetry = memoryTelemetry();
    const ports = instrumentPorts(world.ports, telemetry);
    await recordDriftFailure(ports, command('d-1'), snapshot);
    const until = (await backoff(world))?.until ?? 0;
    const rests = 'karpenter_nodepools_drift_backoff_seconds{nodepool=general}';

    await ports.poolBackoffs.list('drift');
    expect(telemetry.series.get(rests)).toBe((until - NOON) / SECOND_MS);
    world.now = until;
    await ports.poolBackoffs.list('drift');
    expect(telemetry.series.has(rests)).toBe(false);
    const total = 'karpenter_voluntary_disruption_drift_backoffs_total{nodepool=general}';
    expect(telemetry.series.get(total)).toBe(1);
  });

  it('starts its backoff anew after a success', async () => {
    const world = aFakeWorld();
    await world.ports.poolBackoffs.save('drift', { pool: 'general', failures: 5, until: NOON });
    await recordDriftSuccess(world.ports, command('d-1'), snapshot);

    expect(await backoff(world)).toBeUndefined();
  });

  it('counts commands that fail together once', async () => {
    const world = aFakeWorld();
    await recordDriftFailure(world.ports, command('d-1'), snapshot);
    const first = await backoff(world);
    await recordDriftFailure(world.ports, command('d-2'), snapshot);

    expect(await backoff(world)).toEqual(first);
  });
});

describe('a rollout', () => {
  const started = (name: string, over: Partial<NodeClaim> = {}) =>
    anInitializedClaim(name, { name, launch: launch(), ...over });
  const { initializedAt: _, ...failed } = started('new');

  it('stops when its first node does not become ready, and shows so on the class', async () => {
    const world = aFakeWorld();
    await recordFailedStart(world.ports, failed, 'new did not register');
    await recordFailedStart(world.ports, failed, 'once more');

    expect(await world.ports.rollouts.list()).toEqual([
      {
        nodeClass: 'default',
        version: `ami-1/${HASH}`,
        claim: 'new',
        why: 'new did not register',
        at: NOON,
      },
    ]);
    expect(world.events.map(({ kind }) => kind)).toEqual(['rollout-stopped']);
    expect(world.sent.map(({ hint }) => hint)).toEqual([{ topic: 'class' }]);
  });

  it('does not stop for one node of many', async () => {
    const world = aFakeWorld();
    await world.ports.nodeClaims.save(started('works'), 0);
    await recordFailedStart(world.ports, failed, 'new did not register');

    expect(await world.ports.rollouts.list()).toEqual([]);
  });
});
