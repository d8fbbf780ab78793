import {
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeReservedInstancesCommand,
  DescribeSpotPriceHistoryCommand,
  EC2Client,
  type InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import { bundledPriceSource } from '../../../../shared/aws/ec2/prices/ec2-price-source.ts';
import {
  type PriceRecord,
  type PriceRecordStore,
  toPriceList,
} from '../../../../shared/aws/ec2/prices/price-record.ts';
import { refreshPrices } from '../../../../shared/aws/ec2/prices/refresh-prices.ts';
import { s3PriceRecordStore } from '../../../../shared/aws/ec2/prices/s3-price-record-store.ts';
import { storedPriceSource } from '../../../../shared/aws/ec2/prices/stored-price-source.ts';
import type { LogLine } from '../../../../shared/aws/log.ts';
import { findEc2Type } from '../../../../shared/ec2/catalogue/ec2-types.ts';
import { listInstanceTypes } from '../../../../shared/ec2/catalogue/instance-types.ts';
import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';
import { weighType } from '../../../../shared/ec2/catalogue/type-weight.ts';
import { findPricingApi } from '../../../../shared/ec2/pricing-apis.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../shared/model/time.ts';
import { aNodeClass, anOffering, NOON, ZONES } from '../../../support/builders.ts';
import { startS3 } from '../../support/local-s3.ts';

const LARGE = 'm7i.large';
const RECORD: PriceRecord = {
  at: NOON,
  zones: { [LARGE]: [ZONES[0], ZONES[1]] },
  newer: [],
  onDemandUsd: { [LARGE]: 0.2 },
  spotUsd: { [ZONES[1]]: { [LARGE]: 0.05 } },
};

/** The fields of EC2's description that are read. */
const M99I: InstanceTypeInfo = {
  InstanceType: 'm99i.large' as 'm7i.large',
  SupportedUsageClasses: ['on-demand', 'spot'],
  SupportedVirtualizationTypes: ['hvm'],
  Hypervisor: 'nitro',
  ProcessorInfo: {
    SupportedArchitectures: ['arm64'],
    SustainedClockSpeedInGhz: 3,
    Manufacturer: 'AWS',
  },
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  InstanceStorageSupported: false,
  NetworkInfo: {
    MaximumNetworkInterfaces: 3,
    Ipv4AddressesPerInterface: 10,
    EncryptionInTransitSupported: true,
  },
};

const s3 = await startS3();
afterAll(() => s3.stop());
const aStore = async (): Promise<PriceRecordStore> => s3PriceRecordStore(s3.client, await s3.createBucket());

const offer = (instanceType: string, price: string, unit = 'USD'): string =>
  JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { [unit]: price } } } } } },
  });

/** An account whose APIs return the given data, and fail without any. */
function anAccount(reported: { zones?: boolean; spot?: string; prices?: readonly string[] }) {
  const ec2 = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
  const pricing = new PricingClient({ region: 'us-east-1', maxAttempts: 1 });
  const stub = mockClient(ec2);
  const list = mockClient(pricing);
  stub.rejects(new Error('RequestLimitExceeded'));
  list.rejects(new Error('ThrottlingException'));
  if (reported.zones) {
    const InstanceTypeOfferings = [{ InstanceType: LARGE, Location: ZONES[0] } as const];
    stub.on(DescribeInstanceTypeOfferingsCommand).resolves({ InstanceTypeOfferings });
  }
  if (reported.spot !== undefined) {
    stub.on(DescribeSpotPriceHistoryCommand).resolves({
      SpotPriceHistory: [{ InstanceType: LARGE, AvailabilityZone: ZONES[0], SpotPrice: reported.spot }],
    });
  }
  if (reported.prices) {
    list.on(GetProductsCommand).resolves({ PriceList: [...reported.prices] });
  }
  return { ec2, pricing, list, stub };
}

async function refresh(
  store: PriceRecordStore,
  account: ReturnType<typeof anAccount>,
  at = NOON,
  region = 'us-east-1',
) {
  const lines: LogLine[] = [];
  const clock = { now: () => at };
  const log = (line: LogLine) => void lines.push(line);
  await refreshPrices({ ...account, store, clock, log }, region);
  return lines;
}

describe('the price record', () => {
  it('contains zones, on-demand prices and spot prices', async () => {
    const store = await aStore();

    const lines = await refresh(store, anAccount({ zones: true, spot: '0.04', prices: [offer(LARGE, '0.1008')] }));

    expect(await store.read()).toEqual({
      at: NOON,
      region: 'us-east-1',
      zones: { [LARGE]: [ZONES[0]] },
      newer: [],
      onDemandUsd: { [LARGE]: 0.1008 },
      spotUsd: { [ZONES[0]]: { [LARGE]: 0.04 } },
    });
    expect(lines).toMatchObject([{ message: 'prices refreshed', fields: { types: 1, newerTypes: 0 } }]);
  });

  it.each([
    ['zones', { spot: '0.04', prices: [offer(LARGE, '0.3')] }, { zones: RECORD.zones }],
    ['spot', { zones: true, prices: [offer(LARGE, '0.3')] }, { spotUsd: RECORD.spotUsd }],
    ['the price list', { zones: true, spot: '0.04' }, { onDemandUsd: RECORD.onDemandUsd }],
  ])('keeps the previous data if an API does not answer: %s', async (_, reported, kept) => {
    const store = await aStore();
    await store.write(RECORD);

    await expect(refresh(store, anAccount(reported), NOON + 1)).rejects.toThrow('not refreshed in full');

    expect(await store.read()).toMatchObject({ ...kept, at: NOON + 1 });
  });

  it('keeps the price of a type without a valid price today', async () => {
    const store = await aStore();
    await store.write(RECORD);
    const prices = [offer(LARGE, '0'), offer('m7i.xlarge', '0.4'), offer('x', '1', 'CNY'), '{}'];

    await refresh(store, anAccount({ zones: true, spot: '0.04', prices }));

    expect((await store.read())?.onDemandUsd).toEqual({ [LARGE]: 0.2, 'm7i.xlarge': 0.4 });
  });

  it('contains types that are newer than this release, which can be planned', async () => {
    const store = await aStore();
    const account = anAccount({ spot: '0.04', prices: [offer('m99i.large', '0.07')] });
    account.stub.on(DescribeInstanceTypeOfferingsCommand).resolves({
      InstanceTypeOfferings: [LARGE, 'm99i.large'].map((name) => ({
        // The SDK's union of names lacks this type.
        InstanceType: name as 'm7i.large',
        Location: ZONES[0],
      })),
    });
    account.stub.on(DescribeInstanceTypesCommand).resolves({ InstanceTypes: [M99I] });

    await refresh(store, account);

    const [call] = account.stub.commandCalls(DescribeInstanceTypesCommand);
    expect(call?.args[0].input.InstanceTypes).toEqual(['m99i.large']);
    const record = await store.read();
    const list = record && toPriceList(record, 'us-east-1');
    expect(list?.offeringsOf('m99i.large')).toMatchObject([{ capacityType: 'on-demand', hourlyUsd: 0.07 }]);
    const [type] = listInstanceTypes(aNodeClass(), list?.newer).filter(({ name }) => name === 'm99i.large');
    expect(type).toMatchObject({
      labels: { 'karpenter.k8s.aws/instance-family': 'm99i', 'kubernetes.io/arch': 'arm64' },
      capacity: { cpu: 2000, pods: 29 },
    });
  });

  it('contains the prices of every page of the list', async () => {
    const store = await aStore();
    const account = anAccount({ zones: true, spot: '0.04' });
    const pageOf = (page: number, NextToken?: string) => ({
      PriceList: ['large', 'xlarge'].map((size) => offer(`c9${page}.${size}`, `1.${page}`)),
      ...(NextToken !== undefined && { NextToken }),
    });
    account.list
      .on(GetProductsCommand)
      .resolvesOnce(pageOf(1, 'a'))
      .resolvesOnce({ PriceList: [] })
      .resolvesOnce(pageOf(2, 'b'))
      .resolvesOnce(pageOf(3));

    await refresh(store, account);

    expect((await store.read())?.onDemandUsd).toEqual({
      'c91.large': 1.1,
      'c91.xlarge': 1.1,
      'c92.large': 1.2,
      'c92.xlarge': 1.2,
      'c93.large': 1.3,
      'c93.xlarge': 1.3,
    });
  });

  it('stays unchanged if EC2 returns no type', async () => {
    const store = await aStore();
    const account = anAccount({ spot: '0.04', prices: [offer(LARGE, '0.3')] });
    account.stub.on(DescribeInstanceTypeOfferingsCommand).resolves({ InstanceTypeOfferings: [] });
    await store.write(RECORD);

    await refresh(store, account, NOON + 1);

    expect(await store.read()).toMatchObject({ zones: RECORD.zones });
  });

  it('contains yuan in China', async () => {
    const store = await aStore();
    const prices = [offer(LARGE, '0.7', 'CNY'), offer('m7i.xlarge', '0.2')];

    await refresh(store, anAccount({ zones: true, spot: '0.04', prices }), NOON, 'cn-north-1');

    expect((await store.read())?.onDemandUsd).toEqual({ [LARGE]: 0.7 });
  });

  it('keeps the on-demand prices of a region without price list, which a user has written', async () => {
    const store = await aStore();
    await store.write({ ...RECORD, region: 'us-gov-west-1' });
    const { pricing: _, list, ...account } = anAccount({ zones: true, spot: '0.04' });
    const [clock, log] = [{ now: () => NOON + 1 }, () => undefined];

    await refreshPrices({ ...account, store, clock, log }, 'us-gov-west-1');

    expect(list.commandCalls(GetProductsCommand)).toEqual([]);
    expect(await store.read()).toMatchObject({ at: NOON + 1, onDemandUsd: RECORD.onDemandUsd });
  });

  it("contains no on-demand prices of an isolated VPC, and EC2's spot prices", async () => {
    const store = await aStore();
    const { pricing: _, ...account } = anAccount({ zones: true, spot: '0.04' });
    const [clock, log] = [{ now: () => NOON }, () => undefined];

    await refreshPrices({ ...account, store, clock, log }, 'us-east-1');

    const record = await store.read();
    expect(record?.onDemandUsd).toEqual({});
    expect(record?.spotUsd).toEqual({ [ZONES[0]]: { [LARGE]: 0.04 } });
    expect(account.list.commandCalls(GetProductsCommand)).toEqual([]);
  });

  it('contains the reserved instances of the account if they are read, and keeps them', async () => {
    const store = await aStore();
    const account = anAccount({ zones: true, spot: '0.04', prices: [offer(LARGE, '1')] });
    const [clock, log] = [{ now: () => NOON }, () => undefined];
    const withShare = { ...account, store, clock, log, accountShare: 1 };
    const reserved = {
      ReservedInstancesId: 'ri-1',
      InstanceType: LARGE,
      InstanceCount: 2,
      ProductDescription: 'Linux/UNIX',
      Scope: 'Region',
    } as const;
    const commitment = { id: 'ri-1', unit: 'normalized-units', amount: 8, family: 'm7i' };

    account.stub.on(DescribeReservedInstancesCommand).resolves({ ReservedInstances: [reserved] });
    await refreshPrices(withShare, 'us-east-1');
    const record = await store.read();
    expect(record?.commitments).toEqual([commitment]);
    expect(record && toPriceList(record, 'us-east-1').commitments).toEqual([commitment]);

    account.stub.on(DescribeReservedInstancesCommand).rejects(new Error('denied'));
    await expect(refreshPrices(withShare, 'us-east-1')).rejects.toThrow('denied');
    expect((await store.read())?.commitments).toEqual([commitment]);
  });

  it('is queried for Linux on shared hardware, and bare metal', async () => {
    const account = anAccount({ zones: true, spot: '0.04', prices: [offer(LARGE, '1')] });

    await refresh(await aStore(), account);

    const requested = account.list
      .commandCalls(GetProductsCommand)
      .map(({ args: [{ input }] }) => (input.Filters ?? []).map(({ Field, Value }) => `${Field}=${Value}`));
    const [shared, metal] = requested;
    expect(shared).toEqual(expect.arrayContaining(['regionCode=us-east-1', 'operatingSystem=Linux', 'tenancy=Shared']));
    expect(metal).toEqual(expect.arrayContaining(['tenancy=Dedicated', 'productFamily=Compute Instance (bare metal)']));
  });

  it.each([
    ['us-west-2', 'us-east-1'],
    ['eu-west-1', 'eu-central-1'],
    ['ap-northeast-1', 'ap-south-1'],
    ['cn-north-1', 'cn-northwest-1'],
    ['us-gov-east-1', undefined],
    ['us-gov-west-1', undefined],
    ['us-iso-west-1', 'us-iso-east-1'],
    ['us-isob-west-1', 'us-isob-east-1'],
    ['eu-isoe-west-1', 'eu-isoe-west-1'],
    ['eusc-de-east-1', 'eusc-de-east-1'],
    ['ca-west-1', 'us-east-1'],
  ])('for %s comes from the pricing API in %s', (region, endpoint) => {
    expect(findPricingApi(region)?.region).toBe(endpoint);
  });
});

describe('the stored price source', () => {
  const bundled = bundledPriceSource(ZONES);

  function aMarket(read: PriceRecordStore['read'], region = 'us-east-1') {
    let now = NOON;
    const lines: LogLine[] = [];
    const clock = { now: () => now };
    const log = (line: LogLine) => void lines.push(line);
    let reads = 0;
    const store = {
      read: () => {
        reads += 1;
        return read();
      },
    };
    return {
      market: storedPriceSource({ store, region, clock, log, fallback: bundled }),
      lines,
      reads: () => reads,
      pass: (ms: number) => {
        now += ms;
      },
    };
  }

  it('offers what the record contains, with bundled prices for the rest', async () => {
    const { market } = aMarket(async () => ({ ...RECORD, onDemandUsd: {} }));

    expect((await market.current()).offeringsOf(LARGE)).toEqual([
      anOffering({ zone: ZONES[0], hourlyUsd: findOnDemandUsd(LARGE) ?? 0 }),
      anOffering({ zone: ZONES[1], hourlyUsd: findOnDemandUsd(LARGE) ?? 0 }),
      anOffering({ zone: ZONES[1], capacityType: 'spot', hourlyUsd: 0.05 }),
    ]);
  });

  it.each(['eu-north-1', 'us-gov-west-1', 'cn-north-1'])(
    'has no price of another region for %s without on-demand prices in the record',
    async (region) => {
      const { market } = aMarket(async () => ({ ...RECORD, onDemandUsd: {} }), region);

      const prices = await market.current();

      expect(prices.unpriced).toBe(true);
      const usd = new Set(prices.offeringsOf(LARGE).map(({ hourlyUsd }) => hourlyUsd));
      expect([...usd]).toEqual([weighType(findEc2Type(LARGE) ?? expect.fail('not bundled'))]);
    },
  );

  it('leaves out a type that the price list of another region does not sell', async () => {
    const { market } = aMarket(
      async () => ({ ...RECORD, zones: { ...RECORD.zones, 'c5.large': [ZONES[0]] } }),
      'eu-north-1',
    );

    const prices = await market.current();

    expect(prices.unpriced).toBeUndefined();
    expect(prices.offeringsOf(LARGE)[0]?.hourlyUsd).toBe(0.2);
    expect(prices.offeringsOf('c5.large')).toEqual([]);
  });

  it('is read once in ten minutes, and returns the same list until the record changes', async () => {
    let record = RECORD;
    const { market, reads, pass } = aMarket(async () => record);

    const [first, again] = await Promise.all([market.current(), market.current()]);
    expect(again).toBe(first);
    expect(reads()).toBe(1);

    pass(10 * MINUTE_MS);
    expect(await market.current()).toBe(first);
    expect(reads()).toBe(2);

    record = { ...RECORD, at: NOON + 1 };
    pass(10 * MINUTE_MS);
    expect(await market.current()).not.toBe(first);
  });

  it.each<[string, PriceRecordStore['read']]>([
    ['is there yet', async () => undefined],
    [
      'can be read',
      async () => {
        throw new Error('AccessDenied');
      },
    ],
  ])('uses the fallback while no record %s', async (_, read) => {
    expect(await aMarket(read).market.current()).toBe(await bundled.current());
  });

  it('logs the age of a record that is no longer refreshed', async () => {
    const { market, lines, pass } = aMarket(async () => RECORD);
    pass(27 * HOUR_MS);

    await market.current();

    expect(lines).toMatchObject([{ message: 'stored prices are old', fields: { hours: 27 } }]);
  });
});
