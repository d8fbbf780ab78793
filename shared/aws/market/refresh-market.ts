import type { EC2Client } from '@aws-sdk/client-ec2';
import type { PricingClient } from '@aws-sdk/client-pricing';
import { EC2_TYPES } from '../../catalogue/ec2-types.ts';
import type { Clock } from '../../ports/clock.ts';
import { describeZones } from '../catalogue/describe-zones.ts';
import type { Log } from '../log.ts';
import { readSpotUsd } from '../spot-price-history.ts';
import type { MarketRecord, MarketStore } from './market-record.ts';
import { readOnDemandPrices } from './on-demand-list.ts';

export interface RefreshParts {
  readonly ec2: EC2Client;
  readonly pricing: PricingClient;
  readonly store: MarketStore;
  readonly clock: Clock;
  readonly log: Log;
}

const NOTHING: Omit<MarketRecord, 'at'> = { zones: {}, onDemandUsd: {}, spotUsd: {} };

/**
 * Asks which zone offers what and for how much, and stores it over what was known: a part that does
 * not answer stays as it was, and so does the price of a type that has none today.
 *
 * @throws AggregateError - some part did not answer
 */
export async function refreshMarket(parts: RefreshParts, region: string): Promise<void> {
  const { ec2, pricing, store, clock, log } = parts;
  const now = clock.now();
  const before = (await store.read()) ?? { ...NOTHING, at: 0 };
  const [zones, onDemand, spot] = await Promise.allSettled([
    describeZones(ec2),
    readOnDemandPrices(pricing, region),
    readSpotUsd(ec2, undefined, now),
  ]);

  const record: MarketRecord = {
    at: now,
    zones: zones.status === 'fulfilled' ? toRecord(zones.value) : before.zones,
    onDemandUsd: {
      ...before.onDemandUsd,
      ...(onDemand.status === 'fulfilled' ? onDemand.value : {}),
    },
    spotUsd: spot.status === 'fulfilled' ? spot.value : before.spotUsd,
  };
  const failures = [zones, onDemand, spot].flatMap((part): unknown[] =>
    part.status === 'rejected' ? [part.reason] : [],
  );
  // Without zones nothing could be launched anywhere; then what others know is better.
  if (Object.keys(record.zones).length > 0) await store.write(record);
  log({ level: 'info', message: 'prices refreshed', fields: sizesOf(record) });
  if (failures.length > 0) throw new AggregateError(failures, 'prices not refreshed in full');
}

const toRecord = (
  zones: ReadonlyMap<string, readonly string[]>,
): Readonly<Record<string, string[]>> =>
  Object.fromEntries([...zones].map(([type, names]) => [type, [...names]]));

/** Types that EC2 offers and this release does not know are not used: a newer release knows them. */
function sizesOf({ zones, onDemandUsd, spotUsd }: MarketRecord) {
  const known = new Set(EC2_TYPES.map(({ name }) => name));
  const unknown = Object.keys(zones).filter((name) => !known.has(name));
  return {
    types: Object.keys(zones).length,
    unknownTypes: unknown.length,
    onDemandPrices: Object.keys(onDemandUsd).length,
    spotZones: Object.keys(spotUsd).length,
  };
}
