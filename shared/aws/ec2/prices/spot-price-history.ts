import { type EC2Client, paginateDescribeSpotPriceHistory } from '@aws-sdk/client-ec2';
import type { EpochMs } from '../../../model/time.ts';

/** USD per hour; undefined if the zone does not sell the type as spot. */
export type SpotPrices = (instanceType: string, zone: string) => number | undefined;

/** Accounts created before 2013 see their prices under the second name. */
const LINUX = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];

/** Reads the prices like `readSpotUsd`, and returns them as a lookup. */
export async function createSpotPriceLookup(
  ec2: EC2Client,
  zones: readonly string[] | undefined,
  now: EpochMs,
): Promise<SpotPrices> {
  const usd = await readSpotUsd(ec2, zones, now);
  return (instanceType, zone) => usd[zone]?.[instanceType];
}

/**
 * Returns the current spot prices of the zones: some 1,000 prices per zone, 1,000 per page.
 *
 * @param zones - zones to query; undefined for all zones of the region
 * @returns by zone, then by type
 * @throws Error - EC2 does not answer, or returns no price
 */
export async function readSpotUsd(
  ec2: EC2Client,
  zones: readonly string[] | undefined,
  now: EpochMs,
): Promise<Record<string, Record<string, number>>> {
  const pages = paginateDescribeSpotPriceHistory(
    { client: ec2, pageSize: 1000 },
    {
      // A history that starts now contains the current price of each type and zone.
      StartTime: new Date(now),
      ProductDescriptions: LINUX,
      ...(zones && { Filters: [{ Name: 'availability-zone', Values: [...zones] }] }),
    },
  );

  const usdByZone: Record<string, Record<string, number>> = {};
  const sinceByKey = new Map<string, EpochMs>();
  for await (const { SpotPriceHistory = [] } of pages) {
    for (const { InstanceType = '', AvailabilityZone = '', SpotPrice, Timestamp } of SpotPriceHistory) {
      const key = `${InstanceType} ${AvailabilityZone}`;
      const usd = Number(SpotPrice);
      const since = Timestamp?.getTime() ?? 0;
      if (!(usd > 0) || since < (sinceByKey.get(key) ?? 0)) continue;
      sinceByKey.set(key, since);
      const inZone = usdByZone[AvailabilityZone] ?? {};
      inZone[InstanceType] = usd;
      usdByZone[AvailabilityZone] = inZone;
    }
  }
  if (sinceByKey.size === 0) throw new Error('EC2 tells no spot price');
  return usdByZone;
}
