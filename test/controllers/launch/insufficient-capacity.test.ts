import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { LaunchFailedError } from '../../../shared/model/errors.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { podsOf } from '../../support/builders.ts';
import { LATER, withPods } from '../provisioning/provisioning-world.ts';
import { claimOf, claimsOf, takeHints } from '../support/fake-ports.ts';

/** Pods whose claims differ from those of the other pods. */
const anotherZone = (count: number): readonly Pod[] =>
  podsOf(count).map((pod, index) => ({
    ...pod,
    name: `zonal-${index}`,
    uid: `zonal-${index}`,
    spec: { ...pod.spec, nodeSelector: { [ZONE_LABEL]: 'us-east-1b' } },
  }));

const isAnywhere = ({ requirements }: NodeClaim): boolean =>
  !requirements.some(({ key, values }) => key === ZONE_LABEL && values?.length === 1);

describe('a launch without capacity', () => {
  const unavailable = [{ instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'on-demand' as const }];

  it('terminates the claim, remembers the offering for 3 min and requests a plan', async () => {
    const world = withPods(podsOf(1));
    world.launch = () => ({ outcome: 'unavailable', unavailable });
    await reconcileProvisioning(world.ports);

    const until = LATER + 180 * SECOND_MS;
    expect(await claimsOf(world)).toEqual([]);
    expect(world.projected.size).toBe(0);
    expect(await world.ports.unavailableOfferings.list(LATER)).toEqual([{ ...unavailable[0], until }]);
    expect(world.events).toMatchObject([{ kind: 'unavailable', offerings: unavailable, until }]);
    expect(takeHints(world)).toContainEqual({ hint: { topic: 'plan' }, at: LATER + SECOND_MS });
  });

  it('records the reason on the claim', async () => {
    const world = withPods(podsOf(1));
    const names: string[] = [];
    world.launch = ({ name }) => {
      names.push(name);
      return { outcome: 'unavailable', unavailable: [] };
    };
    await reconcileProvisioning(world.ports);

    expect(await claimOf(world, names[0] ?? '')).toMatchObject({
      removal: 'InsufficientCapacity',
      terminatedAt: LATER,
    });
    // Nothing was learned, so that the next plan would be the same.
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'plan' },
      at: LATER + 10 * SECOND_MS,
    });
  });

  it('does not stop concurrent launches', async () => {
    const world = withPods([...podsOf(1), ...anotherZone(2)]);
    const { launch } = world;
    world.launch = (claim) => {
      if (isAnywhere(claim)) throw new Error('EC2 is not to be reached');
      return launch(claim);
    };
    await reconcileProvisioning(world.ports);

    expect(world.instances.size).toBe(2);
    const unlaunched = (await claimsOf(world)).filter((claim) => !claim.launch);
    expect(unlaunched).toHaveLength(1);
    // At the time after which the answer will not be recorded any more.
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: unlaunched[0]?.name },
      at: LATER + 40 * SECOND_MS,
    });
  });

  it('is one request, in which other claims get their instances', async () => {
    const world = withPods();
    const { launch } = world;
    let launches = 0;
    world.launch = (claim) => {
      launches += 1;
      return launches === 3 ? { outcome: 'unavailable', unavailable } : launch(claim);
    };
    await reconcileProvisioning(world.ports);

    expect(world.instances.size).toBe(2);
    expect((await claimsOf(world)).filter((claim) => claim.launch)).toHaveLength(2);
    expect((await world.ports.launches.list()).records).toMatchObject([
      { record: { attempt: 1, closedAt: LATER, foundShortage: true } },
    ]);
    expect(takeHints(world)).toContainEqual({ hint: { topic: 'plan' }, at: LATER + SECOND_MS });
  });

  it('is retried as a new attempt after a refusal, later each time', async () => {
    const world = withPods(podsOf(1));
    const { launch } = world;
    world.launch = ({ name }) => {
      throw new LaunchFailedError(name, 'Unauthorized', 'not yours');
    };
    await reconcileProvisioning(world.ports);
    const [claim] = await claimsOf(world);
    const hint = { topic: 'claim' as const, claim: claim?.name ?? '' };
    expect(takeHints(world)).toContainEqual({ hint, at: LATER + SECOND_MS });

    world.now = LATER + SECOND_MS;
    await dispatch(world.ports, hint);
    expect(takeHints(world)).toContainEqual({ hint, at: LATER + 3 * SECOND_MS });

    world.launch = launch;
    world.now = LATER + 3 * SECOND_MS;
    await dispatch(world.ports, hint);
    expect(world.instances.size).toBe(1);
    expect((await world.ports.launches.list()).records).toMatchObject([
      { record: { attempt: 3, closedAt: LATER + 3 * SECOND_MS } },
    ]);
  });

  it('remembers the unavailable offerings that another offering replaced', async () => {
    const world = withPods(podsOf(1));
    const { launch } = world;
    world.launch = (claim) => ({ ...launch(claim), unavailable });
    await reconcileProvisioning(world.ports);

    expect(world.instances.size).toBe(1);
    expect(await world.ports.unavailableOfferings.list(LATER)).toHaveLength(1);
  });
});
