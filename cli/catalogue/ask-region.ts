import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { type LiveMarket, liveMarket } from '../instance-types/live-market.ts';
import type { Invocation } from '../invocation.ts';

export interface CatalogueRequest {
  readonly region: string;
  readonly profile?: string;
  /** See `PricingFlags`. */
  readonly priceListProfile?: string;
  /** Undefined for `REGION.json`. */
  readonly out?: string;
  /** True replaces an existing file. */
  readonly force: boolean;
}

/** EC2's answers about a region, and the ids of its zones. */
export interface RegionAnswers extends LiveMarket {
  readonly zoneIds: Readonly<Record<string, string>>;
}

/** Reads types, zones and prices of a region. Without zone ids, names of zones are enough. */
export async function askRegion(request: CatalogueRequest, env: Invocation['io']['env']): Promise<RegionAnswers> {
  const ec2 = new EC2Client(toClientSettings(request));
  const [market, zoneIds] = await Promise.all([
    liveMarket(request, env),
    describeZoneIds(ec2).catch((error: unknown) => String(error)),
  ]);
  return typeof zoneIds === 'string'
    ? { ...market, zoneIds: {}, failures: [...market.failures, zoneIds] }
    : { ...market, zoneIds };
}

/** Returns the ids of the zones of the region, which differ from account to account, by zone name. */
export async function describeZoneIds(ec2: EC2Client): Promise<Readonly<Record<string, string>>> {
  const { AvailabilityZones = [] } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
  return Object.fromEntries(
    AvailabilityZones.flatMap(({ ZoneName, ZoneId }) =>
      ZoneName !== undefined && ZoneId !== undefined ? [[ZoneName, ZoneId]] : [],
    ),
  );
}
