import { expect, it } from 'vitest';
import { readLiveClaims } from '../../../cli/live/live-claims.ts';
import {
  INITIALIZED_LABEL,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  REGISTERED_LABEL,
} from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { aFakeWorld, claimsOf, providerIdOf } from '../../controllers/support/fake-ports.ts';
import { sweepTwice } from '../../controllers/sweep-world.ts';
import { aNode, aNodeClaim, NOON } from '../../support/builders.ts';

const NO_CATALOGUE = { instanceTypes: {}, offerings: [] };

/** The fields that follow from the object, whether a record is made of it or the console shows it. */
const described = ({ createdAt: _, ...claim }: NodeClaim) => ({
  poolHash: claim.poolHash,
  annotations: claim.annotations,
  taints: claim.taints,
  startupTaints: claim.startupTaints,
  requirements: claim.requirements,
  requests: claim.requests,
  expireAfterMs: claim.expireAfterMs,
  minDrainMs: claim.minDrainMs,
  terminationGracePeriodMs: claim.terminationGracePeriodMs,
  reboots: claim.reboots?.map(({ fromBoot, ...reboot }) => ({ ...reboot, bootId: fromBoot?.id })),
});

it.each<[string, Partial<NodeClaimObject>, Readonly<Record<string, string>>]>([
  [
    'has a hash of Karpenter',
    { annotations: { [NODEPOOL_HASH_ANNOTATION]: 'theirs', [NODEPOOL_HASH_VERSION_ANNOTATION]: 'v0' } },
    {},
  ],
  [
    'has an older hash of its NodePool',
    { annotations: { [NODEPOOL_HASH_ANNOTATION]: 'older', [NODEPOOL_HASH_VERSION_ANNOTATION]: NODEPOOL_HASH_VERSION } },
    {},
  ],
  [
    'has the hash on its Node only',
    { annotations: {} },
    { [NODEPOOL_HASH_ANNOTATION]: 'older', [NODEPOOL_HASH_VERSION_ANNOTATION]: NODEPOOL_HASH_VERSION },
  ],
  [
    'has limits of its own',
    { expireAfterMs: DAY_MS, terminationGracePeriodMs: HOUR_MS, annotations: { 'team.example.com/owner': 'shop' } },
    {},
  ],
  [
    'is rebooted by Karpenter',
    {
      annotations: { 'karpenter.sh/reboot-pre-boot-id': 'boot-1' },
      conditions: [
        {
          type: 'Rebooting',
          status: 'True',
          reason: 'RebootRequested',
          message: 'rebooting for XID48',
          since: NOON - MINUTE_MS,
        },
      ],
    },
    {},
  ],
])('a NodeClaim that %s is read as adoption would record it', async (_, fields, annotations) => {
  const providerId = providerIdOf('general-1');
  const labels = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  const world = aFakeWorld({ nodes: [aNode({ name: 'node-1', providerId, labels, annotations })] });
  const pools = world.objects.pools.map((pool) => ({ ...pool, minDrainMs: MINUTE_MS }));
  world.objects = { ...world.objects, pools };
  const facts = {
    ...{ instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'on-demand' as const },
    ...{ pool: 'general', nodeClass: 'default' },
  };
  world.instances.set(providerId, { providerId, claim: 'general-1', state: 'running', launchedAt: NOON, facts });
  const object = { ...toNodeClaimObject(aNodeClaim({ name: 'general-1' })), providerId, ...fields };
  world.claimObjects.set('general-1', object);
  await sweepTwice(world);

  const [adopted] = await claimsOf(world);
  const { nodes } = world.objects;
  const [shown] = readLiveClaims({ nodeClaims: [object], nodes, pools }, NO_CATALOGUE);
  expect(shown && described(shown)).toEqual(adopted && described(adopted));
  expect(shown?.poolHash).not.toBe('theirs');
});
