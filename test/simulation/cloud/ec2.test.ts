import { describe, expect, it } from 'vitest';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
  REGION_LABEL,
  ZONE_LABEL,
} from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import type { RequirementSpec } from '../../../shared/model/requirements/requirement-specs.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { LaunchRequest } from '../../../shared/ports/cloud.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aNodeClaim, aNodePool, aTypeOf, REGION, resources, ZONES } from '../../support/builders.ts';
import { type LaunchOutcome, launchOne } from '../../support/launch-one.ts';
import { aCatalogue, aWorld, runFor } from '../support.ts';

const allowing = (key: string, ...values: readonly string[]): RequirementSpec => ({
  key,
  operator: 'In',
  values,
});

const ON_DEMAND = allowing(CAPACITY_TYPE_LABEL, 'on-demand');
const ALL = ['m7i.large', 'm7i.2xlarge', 'm7i.8xlarge'];

const launch = (
  world: SimWorld,
  over: Partial<NodeClaim> = {},
  request: Partial<LaunchRequest> = {},
): Promise<LaunchOutcome> => launchOne(world.ports.cloud, aNodeClaim({ instanceTypes: ALL, ...over }), request);

const launched = (outcome: LaunchOutcome) => (outcome.outcome === 'launched' ? outcome.launch : undefined);

describe('the tag of a claim', () => {
  it('is on an instance that was launched alone', async () => {
    const world = aWorld();

    await launch(world, { name: 'one' });

    expect(await world.ports.cloud.instances()).toMatchObject([{ claim: 'one' }]);
  });

  it('is on no instance that was launched with others, until it gets its name', async () => {
    const { cloud } = aWorld().ports;
    const claims = ['one', 'two'].map((name) => aNodeClaim({ name, instanceTypes: ALL }));
    const request = { id: 'l-1', attempt: 1, claims, isRepeated: false, existingInstances: [] };

    const { launches } = await cloud.launch(request);
    expect(await cloud.instances()).toMatchObject([{ claim: '' }, { claim: '' }]);

    for (const { providerId } of launches) await cloud.nameInstance(providerId, { claim: 'two' });
    expect(await cloud.instances()).toMatchObject([{ claim: 'two' }, { claim: 'two' }]);
  });
});

describe('a launch', () => {
  it('takes the cheapest type on demand', async () => {
    const outcome = await launch(aWorld(), { requirements: [ON_DEMAND] });

    expect(launched(outcome)).toMatchObject({
      instanceType: 'm7i.large',
      capacityType: 'on-demand',
      hourlyUsd: 0.1,
    });
    expect(outcome.unavailable).toEqual([]);
  });

  it.each<[string, readonly RequirementSpec[], Record<string, string>]>([
    ['prefers spot if both are allowed', [], { capacityType: 'spot' }],
    ['uses allowed zones only', [allowing(ZONE_LABEL, 'us-east-1c')], { zone: 'us-east-1c' }],
    [
      'uses only types that meet the requirements',
      [{ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['2'] }, ON_DEMAND],
      { instanceType: 'm7i.2xlarge' },
    ],
    [
      'does not require types to have the claim’s own labels',
      [allowing('team', 'shop'), allowing(REGION_LABEL, REGION), ON_DEMAND],
      { instanceType: 'm7i.large' },
    ],
  ])('%s', async (_, requirements, expected) => {
    const outcome = await launch(aWorld(), { requirements, labels: {} });

    expect(launched(outcome)).toMatchObject(expected);
  });

  it('returns the labels of type, zone, region and capacity type', async () => {
    const { labels } = launched(await launch(aWorld(), { requirements: [ON_DEMAND] })) ?? {};

    expect(labels).toMatchObject({
      [INSTANCE_TYPE_LABEL]: 'm7i.large',
      [CAPACITY_TYPE_LABEL]: 'on-demand',
      [REGION_LABEL]: REGION,
      [OS_LABEL]: 'linux',
      'karpenter.k8s.aws/instance-family': 'm7i',
    });
    expect(ZONES).toContain(labels?.[ZONE_LABEL]);
  });

  it("sets a label that the type leaves open to the claim's value", async () => {
    const type = aTypeOf('m7i.large', 2, 8, { choices: { [OS_LABEL]: ['linux', 'windows'] } });
    const catalogue = aCatalogue({ instanceTypesOf: () => [type] });
    const osOf = async (requirements: readonly RequirementSpec[]) =>
      launched(await launch(aWorld({}, { catalogue }), { requirements }))?.labels[OS_LABEL];

    expect(await osOf([])).toBe('linux');
    expect(await osOf([allowing(OS_LABEL, 'windows')])).toBe('windows');
    expect(await osOf([allowing(OS_LABEL, 'darwin')])).toBeUndefined();
  });

  it('has the allocatable resources of its pool’s NodeClass', async () => {
    const pools = [aNodePool({ name: 'small' }), aNodePool({ name: 'large' })];
    const instanceTypesOf = ({ name }: { name: string }) => [
      aTypeOf('m7i.large', 2, 8, { allocatable: resources(name === 'small' ? 1 : 2, 7) }),
    ];
    const catalogue = aCatalogue({ instanceTypesOf });
    const cpuOf = async (pool: string) => {
      const outcome = await launch(aWorld({ pools }, { catalogue }), { pool, name: pool });
      return launched(outcome)?.allocatable.cpu;
    };

    expect(await cpuOf('small')).toBe(1_000);
    expect(await cpuOf('large')).toBe(2_000);
  });

  it('skips and reports unavailable offerings', async () => {
    const world = aWorld();
    world.userActions.exhaustCapacity({ instanceType: 'm7i.large', capacityType: 'on-demand' }, HOUR_MS);

    const outcome = await launch(world, { requirements: [ON_DEMAND] });

    expect(launched(outcome)?.instanceType).toBe('m7i.2xlarge');
    expect(outcome.unavailable).toEqual(
      ZONES.map((zone) => ({ instanceType: 'm7i.large', zone, capacityType: 'on-demand' })),
    );
  });

  it('fails while every offering is unavailable, and succeeds after', async () => {
    const world = aWorld();
    world.userActions.exhaustCapacity({}, 5 * MINUTE_MS);

    const during = await launch(world);
    await runFor(world, 5 * MINUTE_MS);
    const after = await launch(world, {}, { attempt: 2 });

    expect(during.outcome).toBe('unavailable');
    expect(during.unavailable).toHaveLength(3 * 3 * 2);
    expect(after.outcome).toBe('launched');
  });

  it('takes on-demand if spot is unavailable and both are allowed', async () => {
    const world = aWorld();
    world.userActions.exhaustCapacity({ capacityType: 'spot' }, HOUR_MS);

    expect(launched(await launch(world))?.capacityType).toBe('on-demand');
  });

  it('weighs spare spot capacity against the price', async () => {
    const zones = new Set<string>();
    for (let seed = 1; seed <= 30; seed += 1) {
      const catalogue = aCatalogue({ spotUsd: () => 0.04 });
      const outcome = await launch(aWorld({}, { seed, catalogue }));
      zones.add(launched(outcome)?.zone ?? '');
    }

    expect(zones).toEqual(new Set(ZONES));
  });

  it('encounters random shortages', async () => {
    const world = aWorld({}, { options: { shortageShare: 0.5, interruptionsPerHour: 0 } });
    const counts: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const name = `general-${round}`;
      counts.push((await launch(world, { name, instanceTypes: ['m7i.large'] })).unavailable.length);
      await runFor(world, HOUR_MS);
    }

    expect(Math.min(...counts)).toBe(0);
    expect(Math.max(...counts)).toBeGreaterThan(1);
  });
});

describe('two launches of one claim', () => {
  it('start two instances if their client tokens differ', async () => {
    const world = aWorld();
    const requirements = [allowing(ZONE_LABEL, 'us-east-1a'), ON_DEMAND];

    const first = launched(await launch(world, { requirements }));
    const second = launched(await launch(world, { requirements }, { attempt: 2 }));

    expect(second?.providerId).toBeDefined();
    expect(second?.providerId).not.toBe(first?.providerId);
    expect(await world.ports.cloud.instances()).toHaveLength(2);
  });

  it('start one instance if their client tokens are equal', async () => {
    const world = aWorld();

    const first = launched(await launch(world));
    const second = launched(await launch(world));

    expect(second).toEqual(first);
    expect(await world.ports.cloud.instances()).toHaveLength(1);
  });
});

describe('an instance', () => {
  it('is pending, running, shutting down, terminated and gone', async () => {
    const world = aWorld();
    const { providerId = '' } = launched(await launch(world)) ?? {};
    const state = async () => (await world.ports.cloud.instance(providerId))?.state;

    expect(await state()).toBe('pending');
    await runFor(world, MINUTE_MS);
    expect(await state()).toBe('running');
    await world.ports.cloud.terminate(providerId);
    expect(await state()).toBe('shutting-down');
    await runFor(world, MINUTE_MS);
    expect(await state()).toBe('terminated');
    await runFor(world, HOUR_MS);
    expect(await state()).toBeUndefined();
  });
});

describe('the catalogue', () => {
  const pools = [aNodePool()];
  const priceOf = async (world: SimWorld, capacityType: CapacityType): Promise<number[]> => {
    const { offerings } = await world.ports.cloud.catalogue(pools);
    return offerings.filter((each) => each.capacityType === capacityType).map((each) => each.hourlyUsd);
  };

  it('is the same object until prices move, every 15 minutes', async () => {
    const world = aWorld({ pools });
    const before = await world.ports.cloud.catalogue(pools);

    await runFor(world, 15 * MINUTE_MS - 1);
    expect(await world.ports.cloud.catalogue([...pools])).toBe(before);

    await runFor(world, 1);
    const after = await world.ports.cloud.catalogue(pools);
    expect(after.offerings).not.toBe(before.offerings);
    expect(after.instanceTypes).toEqual(before.instanceTypes);
  });

  it('keeps the same object for each on-demand offering', async () => {
    const world = aWorld({ pools });
    const onDemand = async () =>
      (await world.ports.cloud.catalogue(pools)).offerings.filter(({ capacityType }) => capacityType === 'on-demand');
    const before = await onDemand();

    await runFor(world, 10 * HOUR_MS);

    for (const [index, offering] of (await onDemand()).entries()) {
      expect(offering).toBe(before[index]);
    }
  });

  it('moves spot prices below on-demand, near a third of it', async () => {
    const world = aWorld({ pools });
    const shares: number[] = [];
    for (let step = 0; step < 96; step += 1) {
      const [spot, onDemand] = [await priceOf(world, 'spot'), await priceOf(world, 'on-demand')];
      shares.push(...spot.map((usd, index) => usd / (onDemand[index] ?? 1)));
      await runFor(world, 15 * MINUTE_MS);
    }

    expect(Math.max(...shares)).toBeLessThanOrEqual(1);
    expect(Math.min(...shares)).toBeGreaterThan(0.15);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeCloseTo(0.35, 1);
    expect(new Set(shares).size).toBeGreaterThan(100);
  });

  it('starts from the given spot prices, and has no spot offering without one', async () => {
    const spotUsd = (_: string, zone: string) => (zone === 'us-east-1a' ? 0.0421 : undefined);
    const world = aWorld({ pools }, { catalogue: aCatalogue({ spotUsd }) });

    expect(await priceOf(world, 'spot')).toEqual([0.0421, 0.0421, 0.0421]);
  });

  it('multiplies every spot price at once by a user action', async () => {
    const world = aWorld({ pools });
    const before = await priceOf(world, 'spot');

    world.userActions.multiplySpotPrices(2);

    const after = await priceOf(world, 'spot');
    for (const [index, usd] of after.entries()) expect(usd).toBeCloseTo(2 * (before[index] ?? 0), 3);
    expect(await priceOf(world, 'on-demand')).toHaveLength(9);
  });
});
