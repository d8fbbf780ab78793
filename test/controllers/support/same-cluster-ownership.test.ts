import { describe, expect, it } from 'vitest';
import { withClusterIdentityCheck } from '../../../shared/controllers/support/ownership.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { memoryClusterIdentities } from '../../../shared/memory/cluster-records.ts';
import { memoryOwnership } from '../../../shared/memory/ownership.ts';
import type { ClusterIdentity } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld } from './fake-ports.ts';

const CLUSTER: ClusterIdentity = {
  certificateAuthority: 'aa',
  arn: 'arn:aws:eks:us-east-1:123456789012:cluster/demo',
  createdAt: NOON,
};

async function standingOf(existing: ClusterIdentity, own: ClusterIdentity) {
  const identities = memoryClusterIdentities();
  await identities.remember(existing);
  return withClusterIdentityCheck(memoryOwnership({ now: () => NOON }), identities, own).claim();
}

describe('the records of a cluster', () => {
  it('are used for that cluster', async () => {
    expect(await standingOf(CLUSTER, CLUSTER)).toEqual({ outcome: 'owner' });
  });

  it("are used by a process that knows less of the cluster's identity", async () => {
    const { certificateAuthority } = CLUSTER;
    expect(await standingOf(CLUSTER, { certificateAuthority })).toEqual({ outcome: 'owner' });
    expect(await standingOf({ certificateAuthority }, CLUSTER)).toEqual({ outcome: 'owner' });
  });

  it.each<[string, Partial<ClusterIdentity>]>([
    ['another certificate authority', { certificateAuthority: 'bb' }],
    ['another creation time', { createdAt: NOON + 1 }],
    ['another ARN', { arn: 'arn:aws:eks:us-east-1:210987654321:cluster/demo' }],
  ])('are left alone for a later cluster of the same name: %s', async (_, other) => {
    expect(await standingOf(CLUSTER, { ...CLUSTER, ...other })).toEqual({
      outcome: 'stand-by',
      owner: CLUSTER.arn,
      why: 'another-cluster',
    });
  });

  it('stop all work for a later cluster of the same name, which is reported', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    world.objects = { ...world.objects, nodes: [] };
    const identities = memoryClusterIdentities();
    await identities.remember(CLUSTER);
    const later = { certificateAuthority: 'bb' };
    const ownership = withClusterIdentityCheck(world.ports.ownership, identities, later);

    await sweep({ ...world.ports, ownership });

    expect(world.sent).toEqual([]);
    expect(world.instances.size).toBe(1);
    expect(world.events).toMatchObject([{ kind: 'stand-by', why: 'another-cluster' }]);
  });
});
