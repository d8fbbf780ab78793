import { DescribeAvailabilityZonesCommand, type EC2Client } from '@aws-sdk/client-ec2';

/** Returns the ids of the zones of the region, which differ from account to account, by zone name. */
export async function describeZoneIds(ec2: EC2Client): Promise<Readonly<Record<string, string>>> {
  const { AvailabilityZones = [] } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
  return Object.fromEntries(
    AvailabilityZones.flatMap(({ ZoneName, ZoneId }) =>
      ZoneName !== undefined && ZoneId !== undefined ? [[ZoneName, ZoneId]] : [],
    ),
  );
}
