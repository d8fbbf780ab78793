import { PricingClient } from '@aws-sdk/client-pricing';
import type { ReadOnDemandUsd } from '../../shared/aws/ec2/prices/ec2-price-source.ts';
import {
  findPricingRegion,
  readOnDemandPrices,
} from '../../shared/aws/ec2/prices/on-demand-price-api.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';

/**
 * Creates the client of the price list API for a region; nothing if the partition has no such API, or the
 * process cannot reach it.
 */
export function createPricingClient(
  flags: AwsFlags & { readonly region: string },
  env: Readonly<Record<string, string | undefined>>,
): { readonly pricing?: PricingClient } {
  const region = findPricingRegion(flags.region);
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
