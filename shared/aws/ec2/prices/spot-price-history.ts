import { type EC2Client, paginateDescribeSpotPriceHistory } from '@aws-sdk/client-ec2';
import type { EpochMs } from '../../../model/time.ts';

/** USD per hour; absent: the zone sells none. */
export type SpotPrices = (instanceType: string, zone: string) => number | undefined;

/** Accounts of before 2013 see their prices under the first name. */
const LINUX = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];

/** As `readSpotUsd`, to be asked for one price at a time. */
export async function createSpotPriceLookup(
  ec2: EC2Client,
  zones: readonly string[] | undefined,
  now: EpochMs,
): Promise<SpotPrices> {
  const usd = await readSpotUsd(ec2, zones, now);
  return (instanceType, zone) => usd[zone]?.[instanceType];
}

/**
 * What spot costs now in the zones: some 1,000 prices a zone, 1,000 to a page.
 *
 * @param zones - absent: all of the region
 * @returns by zone, then by type
 * @throws when EC2 does not answer, or knows no price at all
 */
export async function readSpotUsd(
  ec2: EC2Client,
  zones: readonly string[] | undefined,
  now: EpochMs,
): Promise<Record<string, Record<string, number>>> {
  const pages = paginateDescribeSpotPriceHistory(
    { client: ec2, pageSize: 1000 },
    {
      // From now on means the price that holds, one for each type and zone.
      StartTime: new Date(now),
      ProductDescriptions: LINUX,
      ...(zones && { Filters: [{ Name: 'availability-zone', Values: [...zones] }] }),
    },
  );

  const usdByZone: Record<string, Record<string, number>> = {};
  const sinceByKey = new Map<string, EpochMs>();
  for await (const { SpotPriceHistory = [] } of pages) {
    for (const {
      InstanceType = '',
      AvailabilityZone = '',
      SpotPrice,
      Timestamp,
    } of SpotPriceHistory) {
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
