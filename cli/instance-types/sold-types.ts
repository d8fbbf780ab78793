import { findBundledCatalogue, type RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { listPriceWarnings, refuseUnknownRegion } from '../catalogue/choose-region.ts';
import { toRegionCatalogue } from '../catalogue/read-catalogue.ts';
import { type AwsFlags, hasCredentials } from '../cluster/aws-flags.ts';
import type { Io } from '../terminal/io.ts';
import type { liveMarket } from './live-market.ts';

interface SoldTypes {
  readonly sold: RegionCatalogue;
  readonly warnings: readonly string[];
}

/**
 * Finds the types that a region offers: live if possible, otherwise bundled.
 *
 * @throws CliError - `no-catalogue`: EC2 did not answer, and no data of the region is bundled
 */
export async function findSoldTypes(
  flags: AwsFlags & { readonly region: string },
  io: Io,
  askEc2: typeof liveMarket,
): Promise<SoldTypes> {
  const { region } = flags;
  if (!hasCredentials(io, flags)) return findBundledTypes(region, 'was not asked');
  const { record, failures } = await askEc2(flags, io.env);
  const failureWarnings = failures.map((failure) => `not told by AWS: ${failure}`);
  if (record) {
    const sold = toRegionCatalogue(record, region);
    return { sold, warnings: [...failureWarnings, ...listPriceWarnings(sold)] };
  }
  const { sold, warnings } = findBundledTypes(region, 'did not answer');
  return { sold, warnings: [...failureWarnings, ...warnings] };
}

/** Uses the bundled catalogue in all zones of the region: the subnets of a class are unknown here. */
function findBundledTypes(region: string, why: string): SoldTypes {
  const sold = findBundledCatalogue(region);
  if (!sold) throw refuseUnknownRegion(region, `--region: EC2 ${why}`);
  return {
    sold,
    warnings: [
      ...listPriceWarnings(sold),
      sold.prices
        ? `spot prices are a model, and zones those of one account: EC2 ${why}`
        : `zones are those of one account: EC2 ${why}`,
    ],
  };
}
