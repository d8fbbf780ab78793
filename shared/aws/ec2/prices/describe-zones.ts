import { type EC2Client, paginateDescribeInstanceTypeOfferings } from '@aws-sdk/client-ec2';

/** Zones by instance type name, sorted. */
type ZonesByType = ReadonlyMap<string, readonly string[]>;

/**
 * Returns where each type is offered, by the zone names of the account: some 900 types per zone.
 *
 * @param only - zones to query; undefined for all zones of the region
 */
export async function describeZones(ec2: EC2Client, only?: readonly string[]): Promise<ZonesByType> {
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
