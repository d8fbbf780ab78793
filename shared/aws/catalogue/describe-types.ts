import type { EC2Client, InstanceTypeInfo } from '@aws-sdk/client-ec2';
import {
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeInstanceTypes,
} from '@aws-sdk/client-ec2';

/** Zones by instance type name, sorted. */
export type ZonesByType = ReadonlyMap<string, readonly string[]>;

/**
 * Every type that EC2 knows in the region, unfiltered: `reduceTypes` chooses. (The emulator's filters
 * lose types that list more than one architecture.)
 *
 * @throws when EC2 does not answer, or a page is refused
 */
export async function describeTypes(ec2: EC2Client): Promise<InstanceTypeInfo[]> {
  const all: InstanceTypeInfo[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2, pageSize: 100 }, {})) {
    all.push(...(page.InstanceTypes ?? []));
  }
  return all;
}

/**
 * Where each type is offered, by the zone names of the account that asks: some 900 types a zone.
 *
 * @param only - the zones that matter; absent: all of the region
 */
export async function describeZones(
  ec2: EC2Client,
  only?: readonly string[],
): Promise<ZonesByType> {
  const pages = paginateDescribeInstanceTypeOfferings(
    { client: ec2, pageSize: 1000 },
    {
      LocationType: 'availability-zone',
      ...(only && { Filters: [{ Name: 'location', Values: [...only] }] }),
    },
  );
  const zones = new Map<string, string[]>();
  for await (const page of pages) {
    for (const { InstanceType, Location } of page.InstanceTypeOfferings ?? []) {
      if (InstanceType && Location) {
        zones.set(InstanceType, [...(zones.get(InstanceType) ?? []), Location].toSorted());
      }
    }
  }
  return zones;
}
