import type { EC2Client } from '@aws-sdk/client-ec2';
import type { PricingClient } from '@aws-sdk/client-pricing';
import type { Clock } from '../../../ports/ports.ts';
import { describeZones } from './describe-zones.ts';
import { readNewerTypes } from './newer-types.ts';
import type { Log } from '../../log.ts';
import { readSpotUsd } from './spot-price-history.ts';
import type { MarketRecord, MarketStore } from './price-record.ts';
import { readOnDemandPrices } from './on-demand-price-api.ts';

export interface RefreshParts {
  readonly ec2: EC2Client;
  /** Absent: it is out of reach, and on-demand prices are those that came along. */
  readonly pricing?: PricingClient;
  readonly store: MarketStore;
  readonly clock: Clock;
  readonly log: Log;
}

const NOTHING: MarketRecord = { at: 0, zones: {}, newer: [], onDemandUsd: {}, spotUsd: {} };

/**
 * Asks which zone offers what and for how much, and stores it over what was known: a part that does
 * not answer stays as it was, and so does the price of a type that has none today.
 *
 * @throws AggregateError - some part did not answer
 */
export async function refreshMarket(parts: RefreshParts, region: string): Promise<void> {
  const { ec2, pricing, store, clock, log } = parts;
  const now = clock.now();
  const before = (await store.read()) ?? NOTHING;
  const [offered, onDemand, spot] = await Promise.allSettled([
    readOffered(ec2),
    pricing ? readOnDemandPrices(pricing, region) : {},
    readSpotUsd(ec2, undefined, now),
  ]);

  const record: MarketRecord = {
    ...before,
    ...(offered.status === 'fulfilled' ? offered.value : {}),
    at: now,
    onDemandUsd: {
      ...before.onDemandUsd,
      ...(onDemand.status === 'fulfilled' ? onDemand.value : {}),
    },
    spotUsd: spot.status === 'fulfilled' ? spot.value : before.spotUsd,
  };
  // Without zones nothing could be launched anywhere; then what others know is better.
  if (Object.keys(record.zones).length > 0) await store.write(record);
  log({ level: 'info', message: 'prices refreshed', fields: sizesOf(record) });

  const failures = [offered, onDemand, spot].flatMap((part): unknown[] =>
    part.status === 'rejected' ? [part.reason] : [],
  );
  if (failures.length === 0) return;
  // Logs show the message alone.
  const causes = failures.map(String).join('; ');
  throw new AggregateError(failures, `prices not refreshed in full: ${causes}`);
}

async function readOffered(ec2: EC2Client): Promise<Pick<MarketRecord, 'zones' | 'newer'>> {
  const zones = await describeZones(ec2);
  const entries = [...zones].map(([type, names]): [string, string[]] => [type, [...names]]);
  return {
    zones: Object.fromEntries(entries),
    newer: await readNewerTypes(ec2, [...zones.keys()]),
  };
}

const sizesOf = ({ zones, newer, onDemandUsd, spotUsd }: MarketRecord) => ({
  types: Object.keys(zones).length,
  newerTypes: newer.length,
  onDemandPrices: Object.keys(onDemandUsd).length,
  spotZones: Object.keys(spotUsd).length,
});
