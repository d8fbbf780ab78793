import type { PriceRecord } from '../../shared/aws/ec2/prices/price-record.ts';
import { createBundledCatalogue } from '../../shared/ec2/catalogue/bundled-catalogue.ts';
import {
  BUNDLED_REGION,
  EC2_TYPES,
  findEc2Type,
  isBundleRow,
  readEc2Type,
} from '../../shared/ec2/catalogue/ec2-types.ts';
import { findOnDemandUsd, PRICES_AS_OF } from '../../shared/ec2/catalogue/on-demand-prices.ts';
import { toOtherRegion } from '../../shared/ec2/catalogue/other-region.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { type AwsFlags, hasCredentials } from '../cluster/aws-flags.ts';
import { BUNDLED_ZONES } from '../manifests/manifest-region.ts';
import type { Io } from '../terminal/io.ts';
import type { liveMarket } from './live-market.ts';
import type { Sold } from './select-types.ts';

/** Finds the types that a region offers: live if possible, otherwise bundled. */
export async function findSoldTypes(
  flags: AwsFlags & { readonly region: string },
  io: Io,
  askEc2: typeof liveMarket,
): Promise<{ readonly sold: Sold; readonly warnings: readonly string[] }> {
  const { region } = flags;
  if (!hasCredentials(io, flags)) {
    return { sold: createBundledSold(region), warnings: standInWarnings(region, 'was not asked') };
  }
  const { record, failures } = await askEc2(flags, io.env);
  const failureWarnings = failures.map((failure) => `not told by AWS: ${failure}`);
  return record
    ? { sold: createLiveSold(region, record), warnings: failureWarnings }
    : {
        sold: createBundledSold(region),
        warnings: [...failureWarnings, ...standInWarnings(region, 'did not answer')],
      };
}

const standInWarnings = (region: string, why: string): readonly string[] => [
  ...(region === BUNDLED_REGION
    ? []
    : [`instance types and prices are those of ${BUNDLED_REGION}: they stand in for ${region}`]),
  `spot prices are a model, and zones those of one account: EC2 ${why}`,
];

/**
 * Uses the bundled catalogue in all zones of the region, because the subnets of a class are unknown
 * here. Other regions get the same types.
 */
function createBundledSold(region: string): Sold {
  const bundled = createBundledCatalogue(() => undefined, BUNDLED_ZONES);
  const zones = BUNDLED_ZONES.map((zone) => `${region}${zone.slice(BUNDLED_REGION.length)}`);
  const sold = region === BUNDLED_REGION ? bundled : toOtherRegion(bundled, region, zones);
  return { ...sold, types: EC2_TYPES, pricesOf: PRICES_AS_OF };
}

/** Uses EC2's answers; bundled prices replace missing on-demand prices. */
function createLiveSold(
  region: string,
  { at, zones, newer, onDemandUsd: failureWarnings, spotUsd }: PriceRecord,
): Sold {
  const isPriced = Object.keys(failureWarnings).length > 0;
  const unknown = newer
    .filter(isBundleRow)
    .map(readEc2Type)
    .filter(({ name }) => !findEc2Type(name));
  return {
    region,
    types: [...EC2_TYPES, ...unknown],
    pricesOf: isPriced ? new Date(at).toISOString().slice(0, 10) : PRICES_AS_OF,
    spotPrices: 'ec2',
    zonesOf: (type) => ownValue(zones, type) ?? [],
    onDemandUsd: (type) => (isPriced ? ownValue(failureWarnings, type) : findOnDemandUsd(type)),
    spotUsd: (type, zone) => ownValue(ownValue(spotUsd, zone), type),
  };
}
