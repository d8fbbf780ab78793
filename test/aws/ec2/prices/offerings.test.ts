import { describe, expect, it } from 'vitest';
import { createCatalogueReader } from '../../../../shared/aws/ec2/catalogue/ec2-catalogue.ts';
import { listFleetChoices } from '../../../../shared/aws/ec2/launch/fleet-choices.ts';
import { bundledPriceList, createPriceList, findBundledPrices } from '../../../../shared/aws/ec2/prices/price-list.ts';
import { withShiftedZones } from '../../../../shared/controllers/zonal-shift/shifted-zones.ts';
import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';
import { subtractUsedAddresses } from '../../../../shared/ec2/node-class/free-capacity.ts';
import { memoryUnavailableOfferings, memoryZonalShifts } from '../../../../shared/memory/capacity-records.ts';
import type { Offering, OfferingPart } from '../../../../shared/model/offerings/instance-type.ts';
import { toRequirements } from '../../../../shared/model/requirements/requirements.ts';
import type { ResolvedNodeClass } from '../../../../shared/ports/node-classes.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import {
  aNodeClass,
  aNodePool,
  anOffering,
  aPod,
  aPodSpec,
  aSnapshot,
  NOON,
  ZONES,
} from '../../../support/builders.ts';
import { anImage, aReservation, aResolvedClass } from '../../../support/node-classes.ts';

const [A, B, C] = ZONES;
const PRICES = bundledPriceList(ZONES);
const LARGE = 'm5.large';
const ZONE = 'topology.kubernetes.io/zone';

async function catalogueOf(over: Partial<ResolvedNodeClass> = {}, prices = PRICES) {
  const resolved = aResolvedClass({ images: [anImage()], ...over });
  const read = createCatalogueReader(async () => ({ resolved, nodeClass: aNodeClass() }));
  return read([aNodePool()], prices, [], NOON);
}

const subnet = (zone: string, freeAddresses: number) => ({
  id: `subnet-${zone}-${freeAddresses}`,
  zone,
  freeAddresses,
});

const marked = (...unavailable: readonly OfferingPart[]) => memoryUnavailableOfferings().mark(unavailable, NOON);

/** Formats the offerings that a launch would request, as `zone capacity-type`. */
async function available(name: string, ...unavailable: readonly OfferingPart[]) {
  const choices = listFleetChoices(PRICES.offeringsOf(name), await marked(...unavailable));
  return choices.flatMap(({ offerings }) => offerings).map(({ zone, capacityType }) => `${zone} ${capacityType}`);
}

describe('the available offerings of a type', () => {
  const spot = (zone: string, instanceType = LARGE) => ({ instanceType, zone, capacityType: 'spot' }) as const;
  const onDemand = (zone: string) => ({ ...spot(zone), capacityType: 'on-demand' }) as const;

  it('are every zone and capacity type except unavailable ones', async () => {
    expect(await available(LARGE)).toHaveLength(6);
    expect(await available(LARGE, spot(A, 'm5.xlarge'))).toHaveLength(6);
    expect(await available(LARGE, spot(A))).toHaveLength(5);
    expect(await available(LARGE, spot(A), onDemand(B), onDemand(C))).toHaveLength(3);
  });

  it('shrink for the unavailable type, and for all types of a full subnet', async () => {
    expect(await available(LARGE, spot(A))).toHaveLength(5);
    expect(await available('m5.xlarge', spot(A))).toHaveLength(6);

    const subnets = [subnet(A, 9), subnet(B, 9)];
    const taken = { launch: 'l-1', at: NOON, counts: {}, exhausted: ['subnet-us-east-1a-9'] };
    const { offerings } = await catalogueOf({
      subnets: subtractUsedAddresses(subnets, [taken], NOON),
    });
    for (const name of [LARGE, 'm5.xlarge']) {
      const zones = offerings.filter((one) => one.instanceType === name).map(({ zone }) => zone);
      expect(new Set(zones)).toEqual(new Set([B]));
    }
  });

  it('are on-demand only if all spot is unavailable', async () => {
    const remaining = await Promise.all([LARGE, 'c5.large'].map((name) => available(name, { capacityType: 'spot' })));

    expect(remaining).toEqual([1, 2].map(() => ZONES.map((zone) => `${zone} on-demand`)));
  });
});

describe('the available offerings during a zonal shift', () => {
  it('exclude the zone until the shift ends', async () => {
    const shifts = memoryZonalShifts();
    const offerings = withShiftedZones(memoryUnavailableOfferings(), shifts);
    const zonesLeft = async () =>
      listFleetChoices(PRICES.offeringsOf(LARGE), await offerings.list(NOON))
        .flatMap((choice) => choice.offerings)
        .map(({ zone }) => zone);

    await shifts.replace([{ zone: A, zoneId: 'use1-az1', until: NOON + 1 }]);
    expect(await zonesLeft()).toEqual([B, C, B, C]);
    await shifts.replace([]);
    expect(await zonesLeft()).toHaveLength(6);
  });

  it('exclude reserved offerings in the zone', async () => {
    const reserved = {
      instanceType: LARGE,
      zone: A,
      capacityType: 'reserved',
      hourlyUsd: 0,
      reservation: { id: 'cr-1', kind: 'default', isInterruptible: false, free: 9 },
    } as const;
    const shifts = memoryZonalShifts();
    const offerings = withShiftedZones(memoryUnavailableOfferings(), shifts);
    await shifts.replace([{ zone: A, zoneId: 'use1-az1', until: NOON + 1 }]);

    expect(listFleetChoices([reserved], await offerings.list(NOON))).toEqual([]);
  });
});

describe('zones', () => {
  const zonesOf = async (...subnets: readonly ReturnType<typeof subnet>[]) => {
    const { zones, offerings } = await catalogueOf({ subnets });
    const offered = [...new Set(offerings.map(({ zone }) => zone))].toSorted();
    expect(zones).toEqual({ general: offered });
    return offered;
  };

  it('are those with a subnet that has free addresses', async () => {
    expect(await zonesOf(subnet(A, 0), subnet(B, 9), subnet(C, 9))).toEqual([B, C]);
    expect(await zonesOf(subnet(A, 0), subnet(A, 7), subnet(A, 9))).toEqual([A]);
  });

  it('may be local zones', async () => {
    const local = 'us-east-1-bos-1a';
    const prices = createPriceList({
      zonesOf: () => [...ZONES, local],
      spotUsd: () => undefined,
      onDemandUsd: findBundledPrices('us-east-1'),
    });
    const catalogue = await catalogueOf({ subnets: [subnet(A, 9), subnet(local, 9)] }, prices);
    const pods = [aPod({ spec: aPodSpec({ nodeSelector: { [ZONE]: local } }) })];

    const { claims } = planProvisioning(aSnapshot({ pools: [aNodePool()], pods, ...catalogue }), 'd-1');

    const expected = toRequirements(claims[0]?.claim.requirements ?? []).get(ZONE);
    expect([...(expected?.values ?? [])]).toEqual([local]);
  });
});

describe('a plan after insufficient capacity', () => {
  const pool = aNodePool();

  async function plan(
    names: readonly string[],
    pods: readonly ReturnType<typeof aPod>[],
    unavailable: readonly OfferingPart[],
    onlySpotIn: readonly string[] = [],
  ) {
    const catalogue = await catalogueOf();
    const types = (catalogue.instanceTypes[pool.name] ?? []).filter(({ name }) => names.includes(name));
    const offerings = catalogue.offerings.filter(
      ({ instanceType, zone }) =>
        names.includes(instanceType) && (onlySpotIn.length === 0 || onlySpotIn.includes(zone)),
    );
    return planProvisioning(
      aSnapshot({
        pools: [pool],
        pods,
        instanceTypes: { [pool.name]: types },
        offerings,
        unavailable: await marked(...unavailable),
      }),
      'd-1',
    ).claims.map(({ claim, cheapest }) => ({ types: claim.instanceTypes, cheapest }));
  }

  const asking = (name: string, requests: Readonly<Record<string, number>>, zone?: string) =>
    aPod({
      name,
      spec: aPodSpec({
        requests: { cpu: 100, pods: 1, ...requests },
        ...(zone !== undefined && { nodeSelector: { [ZONE]: zone } }),
      }),
    });

  it('uses two small nodes if the large type is unavailable', async () => {
    const pods = ['a', 'b'].map((name) => asking(name, { cpu: 1000 }, A));
    const unavailable = [{ instanceType: 'm5.xlarge', zone: A }];

    expect((await plan([LARGE, 'm5.xlarge'], pods, unavailable)).map(({ types }) => types)).toEqual([[LARGE], [LARGE]]);
  });

  it('uses smaller types with the same accelerator', async () => {
    const pods = ['a', 'b'].map((name) => asking(name, { 'aws.amazon.com/neuron': 1 }, A));
    const unavailable = [{ instanceType: 'inf2.24xlarge', zone: A }];

    const planned = await plan(['inf2.24xlarge', 'inf2.8xlarge'], pods, unavailable);

    expect(planned.map(({ types }) => types)).toEqual([['inf2.8xlarge'], ['inf2.8xlarge']]);
  });

  it('uses another zone than the pod prefers', async () => {
    const pod = aPod({
      spec: aPodSpec({
        requests: { cpu: 100, pods: 1, 'nvidia.com/gpu': 1 },
        preferredNodeTerms: [{ weight: 1, term: [{ key: ZONE, operator: 'In', values: [A] }] }],
      }),
    });
    const unavailable = [{ instanceType: 'g5.12xlarge', zone: A }];

    const [claim] = await plan(['g5.12xlarge'], [pod], unavailable);

    expect(claim?.cheapest.zone).not.toBe(A);
  });

  it('uses on-demand if spot is unavailable', async () => {
    const unavailable = [{ zone: A, capacityType: 'spot' as const }];

    const [claim] = await plan([LARGE], [asking('a', {}, A)], unavailable, [A]);

    expect(claim?.cheapest).toMatchObject({ capacityType: 'on-demand', zone: A });
  });

  it('knows a type that is unavailable everywhere, and leaves the others unchanged', async () => {
    const unavailable = [{ instanceType: LARGE }];
    const { instanceTypes } = await catalogueOf();

    expect(instanceTypes.general?.map(({ name }) => name)).toContain(LARGE);
    expect(await plan([LARGE], [asking('a', {})], unavailable)).toEqual([]);
    expect(await plan([LARGE, 'c5.large'], [asking('a', {})], unavailable)).toMatchObject([{ types: ['c5.large'] }]);
  });
});

describe('the offerings', () => {
  const reserved = async (over: Parameters<typeof aReservation>[0]): Promise<Offering[]> => {
    const { offerings } = await catalogueOf({
      reservations: [aReservation({ instanceType: LARGE, ...over })],
    });
    return offerings.filter(({ capacityType }) => capacityType === 'reserved');
  };
  const MINUTE = 60_000;

  it('include reserved capacity at a nominal price until it is used up or about to end', async () => {
    const hourlyUsd = (findOnDemandUsd(LARGE) ?? 0) * 1e-7;

    expect(await reserved({})).toEqual([
      {
        instanceType: LARGE,
        zone: A,
        capacityType: 'reserved',
        hourlyUsd,
        reservation: {
          id: 'cr-1',
          kind: 'default',
          isInterruptible: false,
          free: 10,
          nodeClass: 'default',
        },
      },
    ]);
    expect(await reserved({ freeInstances: 0 })).toEqual([]);
    expect(await reserved({ kind: 'capacity-block', endsAt: NOON + 40 * MINUTE })).toEqual([]);
    expect(await reserved({ kind: 'capacity-block', endsAt: NOON + 41 * MINUTE })).toHaveLength(1);
  });

  it('include a type that is sold by reservation only, without a known price', async () => {
    const { instanceTypes, offerings } = await catalogueOf({
      reservations: [aReservation({ instanceType: 'p5e.48xlarge', kind: 'capacity-block' })],
    });

    expect(instanceTypes.general?.map(({ name }) => name)).toContain('p5e.48xlarge');
    expect(offerings.filter(({ instanceType }) => instanceType === 'p5e.48xlarge')).toMatchObject([
      { capacityType: 'reserved', hourlyUsd: 0 },
    ]);
  });

  it('exclude types that the placement group of the class does not support', async () => {
    const group = { id: 'pg-1', name: 'near', strategy: 'cluster' } as const;
    const names = (await catalogueOf({ placementGroup: group })).instanceTypes.general?.map(({ name }) => name);

    expect(names).toContain(LARGE);
    expect(names).not.toContain('t3.medium');
  });

  it('exclude types without a price', async () => {
    expect(PRICES.offeringsOf('t8i.nano')).toEqual([]);
    expect(PRICES.offeringsOf(LARGE)).toContainEqual(
      anOffering({ instanceType: LARGE, zone: A, hourlyUsd: findOnDemandUsd(LARGE) ?? 0 }),
    );
  });
});
