import { EC2Client } from '@aws-sdk/client-ec2';
import { PricingClient } from '@aws-sdk/client-pricing';
import { findPricingRegion } from '../../shared/aws/ec2/prices/on-demand-price-api.ts';
import type { PriceRecord } from '../../shared/aws/ec2/prices/price-record.ts';
import {
  type RefreshDependencies,
  refreshPrices,
} from '../../shared/aws/ec2/prices/refresh-prices.ts';
import { type AwsFlags, toClientSettings } from '../cluster/aws-flags.ts';

export interface LiveMarket {
  /** Absent: EC2 did not even tell its zones. */
  readonly record?: PriceRecord;
  /** Of the parts that did not answer, a sentence each. */
  readonly failures: readonly string[];
}

type Clients = Pick<RefreshDependencies, 'ec2' | 'pricing'>;

/**
 * What EC2 sells in the region at this moment: its types and zones, prices on demand and of spot.
 *
 * @param isIsolated - the price list is out of reach
 */
export const liveMarket = (
  flags: AwsFlags & { readonly region: string },
  isIsolated: boolean,
): Promise<LiveMarket> => {
  const { region } = flags;
  const pricing = () =>
    new PricingClient(toClientSettings({ ...flags, region: findPricingRegion(region) }));
  const ec2 = new EC2Client(toClientSettings(flags));
  return askedMarket({ ec2, ...(!isIsolated && { pricing: pricing() }) }, region);
};

/** What these clients tell. */
export async function askedMarket(clients: Clients, region: string): Promise<LiveMarket> {
  let record: PriceRecord | undefined;
  const store: RefreshDependencies['store'] = {
    read: async () => undefined,
    async write(told) {
      record = told;
    },
  };
  const clock = { now: () => Date.now() };
  const log = () => undefined;
  try {
    await refreshPrices({ ...clients, store, clock, log }, region);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    // All of them fail alike where there is no way to AWS.
    const failures = new Set(
      error.errors.map((one) => (one instanceof Error ? one.message : String(one))),
    );
    return { ...(record && { record }), failures: [...failures] };
  }
  return { ...(record && { record }), failures: [] };
}
