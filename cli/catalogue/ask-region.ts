import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2';
import type { PriceRecord } from '../../shared/aws/ec2/prices/price-record.ts';
import { type RefreshDependencies, refreshPrices } from '../../shared/aws/ec2/prices/refresh-prices.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { createPricingClient, type PricingFlags } from '../cluster/pricing-client.ts';
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

/** The answers of AWS about a region. */
export interface LiveMarket {
  /** Undefined if EC2 did not even return the zones. */
  readonly record?: PriceRecord;
  /** One sentence for each source that did not answer. */
  readonly failures: readonly string[];
  /** The errors behind the sentences. */
  readonly errors?: readonly unknown[];
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

/** Reads the current types, zones, on-demand and spot prices of a region. */
export const liveMarket = (flags: PricingFlags, env: Invocation['io']['env']): Promise<LiveMarket> =>
  askMarket({ ec2: new EC2Client(toClientSettings(flags)), ...createPricingClient(flags, env) }, flags.region);

/** Reads everything that these clients provide. */
export async function askMarket(
  clients: Pick<RefreshDependencies, 'ec2' | 'pricing'>,
  region: string,
): Promise<LiveMarket> {
  let record: PriceRecord | undefined;
  const store: RefreshDependencies['store'] = {
    read: async () => undefined,
    async write(answers) {
      record = answers;
    },
  };
  try {
    await refreshPrices({ ...clients, store, clock: { now: () => Date.now() }, log: () => undefined }, region);
    return { ...(record && { record }), failures: [] };
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    // Without a connection to AWS all calls fail in the same way.
    const failures = new Set(error.errors.map((one) => (one instanceof Error ? one.message : String(one))));
    return { ...(record && { record }), failures: [...failures], errors: error.errors };
  }
}
