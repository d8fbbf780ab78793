import {
  DescribeInstanceTypeOfferingsCommand,
  DescribeSpotPriceHistoryCommand,
  EC2Client,
  type InstanceTypeOffering,
  type SpotPrice,
} from '@aws-sdk/client-ec2';
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { listFleetChoices } from '../../../../shared/aws/ec2/launch/fleet-choices.ts';
import { bundledPriceSource, ec2PriceSource } from '../../../../shared/aws/ec2/prices/ec2-price-source.ts';
import { readOnDemandPrices } from '../../../../shared/aws/ec2/prices/on-demand-price-api.ts';
import type { LogLine } from '../../../../shared/aws/log.ts';
import { findEc2Type } from '../../../../shared/ec2/catalogue/ec2-types.ts';
import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';
import { weighType } from '../../../../shared/ec2/catalogue/type-weight.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../shared/model/time.ts';
import { anOffering, NOON, ZONES } from '../../../support/builders.ts';

const LARGE = 'm7i.large';
const PRICE = findOnDemandUsd(LARGE) ?? 0;

const price = (AvailabilityZone: string, SpotPrice: string, at = NOON): SpotPrice => ({
  InstanceType: LARGE,
  AvailabilityZone,
  SpotPrice,
  Timestamp: new Date(at),
});

/** An offer of the price list, as JSON. */
const offer = (instanceType: string, USD: string): string =>
  JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD } } } } } },
  });

const offered: readonly InstanceTypeOffering[] = ['us-east-1a', 'us-east-1b'].map((Location) => ({
  InstanceType: LARGE,
  Location,
}));

function aMarket(SpotPriceHistory: SpotPrice[], region = 'us-east-1', pricing?: PricingClient) {
  let now = NOON;
  const lines: LogLine[] = [];
  const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
  const ec2 = mockClient(client);
  ec2.on(DescribeInstanceTypeOfferingsCommand).resolves({ InstanceTypeOfferings: [...offered] });
  ec2.on(DescribeSpotPriceHistoryCommand).resolves({ SpotPriceHistory });
  const clock = { now: () => now };
  const log = (line: LogLine) => void lines.push(line);
  return {
    ec2,
    lines,
    market: ec2PriceSource(client, {
      region,
      zones: ZONES,
      clock,
      log,
      ...(pricing && { readOnDemandUsd: () => readOnDemandPrices(pricing, region) }),
    }),
    pass(ms: number) {
      now += ms;
    },
  };
}

const spot = (zone: string, hourlyUsd: number) => anOffering({ zone, capacityType: 'spot', hourlyUsd });
const onDemand = (zone: string) => anOffering({ zone, hourlyUsd: PRICE });

describe('the price source', () => {
  it('offers a type in zones of both EC2 and the cluster, and as spot if EC2 has a price', async () => {
    const { market } = aMarket([price('us-east-1a', '0.0321')]);

    expect((await market.current()).offeringsOf(LARGE)).toEqual([
      onDemand('us-east-1a'),
      onDemand('us-east-1b'),
      spot('us-east-1a', 0.0321),
    ]);
  });

  it('uses the latest valid price', async () => {
    const { market } = aMarket([
      price('us-east-1a', '0.05', NOON - 1),
      price('us-east-1a', '0.04', NOON),
      price('us-east-1a', '0.03', NOON - 2),
      price('us-east-1b', '0'),
      price('us-east-1b', 'free'),
    ]);

    const { offeringsOf } = await market.current();

    expect(offeringsOf(LARGE).slice(2)).toEqual([spot('us-east-1a', 0.04)]);
  });

  it("queries the types of the cluster's zones only", async () => {
    const { market, ec2 } = aMarket([price('us-east-1a', '0.04')]);

    await market.current();

    const [call] = ec2.commandCalls(DescribeInstanceTypeOfferingsCommand);
    expect(call?.args[0].input).toMatchObject({
      LocationType: 'availability-zone',
      Filters: [{ Name: 'location', Values: [...ZONES] }],
    });
  });

  it("queries the current prices of the cluster's zones, by pages", async () => {
    const { market, ec2 } = aMarket([price('us-east-1a', '0.04')]);

    await market.current();

    const [call] = ec2.commandCalls(DescribeSpotPriceHistoryCommand);
    expect(call?.args[0].input).toEqual({
      StartTime: new Date(NOON),
      ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
      Filters: [{ Name: 'availability-zone', Values: [...ZONES] }],
      MaxResults: 1000,
      NextToken: undefined,
    });
  });

  it('queries twice a day, once for all concurrent callers', async () => {
    const { market, ec2, pass } = aMarket([price('us-east-1a', '0.04')]);
    const requested = () => ec2.commandCalls(DescribeSpotPriceHistoryCommand).length;

    const [first, second] = await Promise.all([market.current(), market.current()]);
    pass(12 * HOUR_MS - 1);
    const third = await market.current();

    expect([second, third]).toEqual([first, first]);
    expect(third).toBe(first);
    expect(requested()).toBe(1);
    pass(1);
    await market.current();
    expect(requested()).toBe(2);
  });

  it('prices spot like on-demand before EC2 has answered, and queries again after a minute', async () => {
    const { market, ec2, lines, pass } = aMarket([]);
    ec2
      .on(DescribeSpotPriceHistoryCommand)
      .rejectsOnce(new Error('RequestLimitExceeded'))
      .resolves({ SpotPriceHistory: [price('us-east-1a', '0.04')] });

    const { offeringsOf } = await market.current();

    expect(offeringsOf(LARGE)).toContainEqual(spot('us-east-1a', PRICE));
    expect(lines).toMatchObject([{ level: 'warn', message: 'prices not refreshed' }]);
    pass(MINUTE_MS);
    const later = await market.current();
    expect(later.offeringsOf(LARGE)).toContainEqual(spot('us-east-1a', 0.04));
  });

  it('keeps the last answer while EC2 does not answer', async () => {
    const { market, ec2, pass } = aMarket([price('us-east-1a', '0.04')]);
    const first = await market.current();
    ec2.on(DescribeSpotPriceHistoryCommand).resolves({ SpotPriceHistory: [] });
    pass(12 * HOUR_MS);

    expect(await market.current()).toBe(first);
  });

  it('has a price before any query has been answered', async () => {
    const { offeringsOf } = await bundledPriceSource(ZONES).current();

    expect(offeringsOf('c5.large')[0]?.hourlyUsd).toBe(0.085);
  });

  it('queries EC2 alone and uses bundled on-demand prices if no pricing API is reachable', async () => {
    const { market } = aMarket([price('us-east-1a', '0.04')]);

    const { offeringsOf } = await market.current();

    expect(offeringsOf(LARGE)).toContainEqual(onDemand('us-east-1a'));
    expect(offeringsOf(LARGE)).toContainEqual(spot('us-east-1a', 0.04));
  });

  it('asks the price list API if there is a client for it', async () => {
    const pricing = new PricingClient({ region: 'eu-central-1', maxAttempts: 1 });
    const list = mockClient(pricing);
    list.on(GetProductsCommand).resolves({ PriceList: [offer(LARGE, '0.12')] });
    const { market } = aMarket([price('us-east-1a', '0.04')], 'eu-north-1', pricing);

    const prices = await market.current();

    expect(prices.unpriced).toBeUndefined();
    expect(prices.offeringsOf(LARGE)).toContainEqual(anOffering({ hourlyUsd: 0.12 }));
    expect(prices.offeringsOf(LARGE)).toContainEqual(spot('us-east-1a', 0.04));
  });

  it.each(['eu-north-1', 'us-gov-west-1', 'cn-north-1'])(
    'has no price of another region for %s: weights stand in for spot prices too',
    async (region) => {
      const pricing = new PricingClient({ region: 'eu-central-1', maxAttempts: 1 });
      mockClient(pricing).rejects(new Error('AccessDenied'));
      const { market, lines } = aMarket([price('us-east-1a', '0.04')], region, pricing);

      const prices = await market.current();

      expect(prices.unpriced).toBe(true);
      const weight = weighType(findEc2Type(LARGE) ?? expect.fail('not bundled'));
      expect(prices.offeringsOf(LARGE)).toEqual([
        anOffering({ zone: 'us-east-1a', hourlyUsd: weight }),
        anOffering({ zone: 'us-east-1b', hourlyUsd: weight }),
        spot('us-east-1a', weight),
      ]);
      if (region !== 'us-gov-west-1') expect(lines).toMatchObject([{ message: 'on-demand prices not read' }]);
    },
  );

  it('knows the bundled region without a query', async () => {
    const { offeringsOf } = await bundledPriceSource(['us-east-1a']).current();

    expect(offeringsOf(LARGE)).toEqual([onDemand('us-east-1a'), spot('us-east-1a', PRICE)]);
    expect(offeringsOf('no.such')).toEqual([]);
  });
});

describe('the launch requests', () => {
  const typed = (instanceType: string, hourlyUsd: number, capacityType: 'spot' | 'on-demand') =>
    anOffering({ instanceType, hourlyUsd, capacityType });

  it('contain spot up to the cheapest on-demand price, and then on-demand', () => {
    const all = [typed('a.large', 5, 'on-demand'), typed('b.large', 1, 'spot'), typed('c.large', 10, 'spot')];

    expect(listFleetChoices(all, [])).toEqual([
      { capacityType: 'spot', offerings: [all[1]] },
      { capacityType: 'on-demand', offerings: [all[0]] },
    ]);
  });

  it('contain spot at any price if on-demand is not allowed', () => {
    const all = [typed('c.large', 10, 'spot')];

    expect(listFleetChoices(all, [])).toEqual([{ capacityType: 'spot', offerings: all }]);
  });

  it('contain the first 60 types, in all their zones', () => {
    const all = Array.from({ length: 70 }, (_, n) =>
      ZONES.map((zone) => anOffering({ instanceType: `t${n}.large`, zone })),
    ).flat();

    const [choice] = listFleetChoices(all, []);

    expect(choice?.offerings).toEqual(all.slice(0, 180));
  });
});
