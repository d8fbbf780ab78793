import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { LaunchFailedError } from '../../../shared/model/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { LaunchRequest } from '../../../shared/ports/cloud.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aNodeClaim, NOON } from '../../support/builders.ts';
import { aFakeWorld, claimOf, type FakeWorld, takeHints } from '../support/fake-ports.ts';

const NAME = 'general-1';

/** EC2 refuses every request with this error. */
const refusing = (
  world: FakeWorld,
  reason: string,
  detail: string,
  requested: LaunchRequest[] = [],
  isUncertain = false,
): Ports => ({
  ...world.ports,
  cloud: {
    ...world.ports.cloud,
    launch: async (request) => {
      requested.push(request);
      return {
        launches: [],
        unavailable: [],
        refusal: new LaunchFailedError(NAME, reason, detail),
        isUncertain,
      };
    },
  },
});

async function aClaim(): Promise<FakeWorld> {
  const world = aFakeWorld();
  await world.ports.nodeClaims.save(aNodeClaim({ name: NAME }), 0);
  return world;
}

describe('a launch that EC2 refuses', () => {
  it("shows EC2's reason on the NodeClaim and is retried", async () => {
    const world = await aClaim();

    await reconcileNodeClaim(refusing(world, 'Unauthorized', 'no ec2:CreateFleet'), NAME);

    expect((await claimOf(world, NAME))?.waitsFor).toEqual({
      condition: 'Launched',
      status: 'Unknown',
      reason: 'Unauthorized',
      message: 'no ec2:CreateFleet',
      since: NOON,
    });
    expect(world.projected.get(NAME)?.waitsFor?.reason).toBe('Unauthorized');
    expect(takeHints(world).map(({ hint }) => hint)).toContainEqual({
      topic: 'claim',
      claim: NAME,
    });
  });

  it('is repeated as the same request if an earlier try may have launched, and finds what that launched', async () => {
    const world = await aClaim();
    const requested: LaunchRequest[] = [];
    const ports = refusing(world, 'RequestLimitExceeded', 'three times', requested, true);

    await reconcileNodeClaim(ports, NAME);
    const again = takeHints(world).map(({ at }) => at);
    world.now = NOON + 10 * SECOND_MS;
    await reconcileNodeClaim(ports, NAME);

    expect(again).toContain(NOON + 10 * SECOND_MS);
    expect(requested.map(({ attempt, isRepeated }) => [attempt, isRepeated])).toEqual([
      [1, false],
      [1, true],
    ]);
  });

  it.each([
    ['1 and 2 seconds', false, 1, [1, 3]],
    ['10, 20 and 40 seconds, if an earlier try may have launched', true, 10, [1, 3, 7]],
  ])('is not repeated for %s, also by other callers', async (_, isUncertain, seconds, times) => {
    const world = await aClaim();
    const requested: LaunchRequest[] = [];
    const ports = refusing(world, 'VcpuLimitExceeded', 'quota', requested, isUncertain);
    const callAt = async (now: number): Promise<number> => {
      world.now = now;
      await reconcileNodeClaim(ports, NAME);
      return requested.length;
    };

    expect(await callAt(NOON)).toBe(1);
    for (const [calls, after] of times.entries()) {
      const next = NOON + after * seconds * SECOND_MS;
      expect(await callAt(next - 1)).toBe(calls + 1);
      expect(await callAt(next)).toBe(calls + 2);
    }
  });

  it('shows at most 300 characters of the message', async () => {
    const world = await aClaim();

    await reconcileNodeClaim(refusing(world, 'LaunchFailed', 'x'.repeat(500)), NAME);

    expect((await claimOf(world, NAME))?.waitsFor?.message).toHaveLength(300);
  });

  it('is reported once while the reason is the same', async () => {
    const world = await aClaim();
    const ports = refusing(world, 'Unauthorized', 'no ec2:CreateFleet');

    await reconcileNodeClaim(ports, NAME);
    world.now += MINUTE_MS;
    await reconcileNodeClaim(ports, NAME);

    expect(world.events).toEqual([
      {
        kind: 'launch-refused',
        at: NOON,
        claim: NAME,
        reason: 'Unauthorized',
        text: 'no ec2:CreateFleet',
      },
    ]);
  });

  it('removes the reason once it succeeds', async () => {
    const world = await aClaim();
    await reconcileNodeClaim(refusing(world, 'Unauthorized', 'no ec2:CreateFleet'), NAME);
    world.now += MINUTE_MS;

    await reconcileNodeClaim(world.ports, NAME);

    expect(await claimOf(world, NAME)).toMatchObject({ launch: {} });
    expect((await claimOf(world, NAME))?.waitsFor).toBeUndefined();
  });
});
