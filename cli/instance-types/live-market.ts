import { EC2Client } from '@aws-sdk/client-ec2';
import type { PriceRecord } from '../../shared/aws/ec2/prices/price-record.ts';
import { type RefreshDependencies, refreshPrices } from '../../shared/aws/ec2/prices/refresh-prices.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { createPricingClient, type PricingFlags } from '../cluster/pricing-client.ts';

export interface LiveMarket {
  /** Undefined if EC2 did not even return the zones. */
  readonly record?: PriceRecord;
  /** One sentence for each source that did not answer. */
  readonly failures: readonly string[];
  /** The errors behind the sentences. */
  readonly errors?: readonly unknown[];
}

type Clients = Pick<RefreshDependencies, 'ec2' | 'pricing'>;

/** Reads the current types, zones, on-demand and spot prices of a region. */
export const liveMarket = (
  flags: PricingFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LiveMarket> => {
  const ec2 = new EC2Client(toClientSettings(flags));
  return askedMarket({ ec2, ...createPricingClient(flags, env) }, flags.region);
};

/** Reads everything that these clients provide. */
export async function askedMarket(clients: Clients, region: string): Promise<LiveMarket> {
  let record: PriceRecord | undefined;
  const store: RefreshDependencies['store'] = {
    read: async () => undefined,
    async write(answers) {
      record = answers;
    },
  };
  const clock = { now: () => Date.now() };
  const log = () => undefined;
  try {
    await refreshPrices({ ...clients, store, clock, log }, region);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    // Without a connection to AWS all calls fail in the same way.
    const failures = new Set(error.errors.map((one) => (one instanceof Error ? one.message : String(one))));
    return { ...(record && { record }), failures: [...failures], errors: error.errors };
  }
  return { ...(record && { record }), failures: [] };
}
