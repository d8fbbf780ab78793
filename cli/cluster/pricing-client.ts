import { PricingClient } from '@aws-sdk/client-pricing';
import type { ReadOnDemandUsd } from '../../shared/aws/ec2/prices/ec2-price-source.ts';
import { readOnDemandPrices } from '../../shared/aws/ec2/prices/on-demand-price-api.ts';
import { findPricingApi } from '../../shared/ec2/pricing-apis.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';

export interface PricingFlags extends AwsFlags {
  readonly region: string;
  /** A profile of an account whose partition has the price list; undefined for that of the region. */
  readonly priceListProfile?: string;
}

/** The price list of the standard partition has GovCloud as well. */
const STANDARD_PRICE_LIST = 'us-east-1';

/**
 * Creates the client of the price list API for a region; nothing if the partition has no such API, or the
 * process cannot reach it.
 */
export function createPricingClient(
  { priceListProfile: profile, ...flags }: PricingFlags,
  env: Readonly<Record<string, string | undefined>>,
): { readonly pricing?: PricingClient } {
  const region = findPricingApi(flags.region)?.region;
  if (profile !== undefined) {
    const settings = toClientSettings({ region: region ?? STANDARD_PRICE_LIST, profile });
    return { pricing: new PricingClient(settings) };
  }
  return region === undefined || env.ISOLATED_VPC === 'true'
    ? {}
    : { pricing: new PricingClient(toClientSettings({ ...flags, region })) };
}

/** Creates the reader of on-demand prices, for processes that ask EC2 themselves. */
export function createPriceListReader(
  flags: AwsFlags & { readonly region: string },
  env: Readonly<Record<string, string | undefined>>,
): { readonly readOnDemandUsd?: ReadOnDemandUsd } {
  const { pricing } = createPricingClient(flags, env);
  return pricing ? { readOnDemandUsd: () => readOnDemandPrices(pricing, flags.region) } : {};
}
