import { type _InstanceType, type EC2Client, paginateDescribeInstanceTypes } from '@aws-sdk/client-ec2';
import type { PricingClient } from '@aws-sdk/client-pricing';
import { findEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import { splitIntoBatches } from '../../../model/concurrency.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { Log } from '../../log.ts';
import { COLUMNS, reduceType } from '../catalogue-generator/reduce-type.ts';
import { describeZones } from './describe-zones.ts';
import { readOnDemandPrices } from './on-demand-price-api.ts';
import type { PriceRecord, PriceRecordStore } from './price-record.ts';
import { readReservedInstances } from './reserved-instances.ts';
import { readSpotUsd } from './spot-price-history.ts';

export interface RefreshDependencies {
  readonly ec2: EC2Client;
  /** Undefined if the pricing API is out of reach; the record then keeps the on-demand prices that it has. */
  readonly pricing?: PricingClient;
  /** The part of the account's reserved instances to use; undefined if they are not read. */
  readonly accountShare?: number;
  readonly store: PriceRecordStore;
  readonly clock: Clock;
  readonly log: Log;
}

const EMPTY_RECORD: PriceRecord = { at: 0, zones: {}, newer: [], onDemandUsd: {}, spotUsd: {} };

/**
 * Queries zones, types and prices, and stores them over the previous record: a part that does not
 * answer keeps its previous value, and so does a type without a price today.
 *
 * @throws AggregateError - some part did not answer
 */
export async function refreshPrices(dependencies: RefreshDependencies, region: string): Promise<void> {
  const { ec2, pricing, accountShare, store, clock, log } = dependencies;
  const now = clock.now();
  const { commitments, ...previous } = (await store.read()) ?? EMPTY_RECORD;
  const [offeredTypes, onDemand, spot, reserved] = await Promise.allSettled([
    readOfferedTypes(ec2),
    pricing ? readOnDemandPrices(pricing, region) : {},
    readSpotUsd(ec2, undefined, now),
    accountShare === undefined ? undefined : readReservedInstances(ec2, accountShare),
  ]);
  const account = reserved.status === 'fulfilled' ? reserved.value : commitments;

  const record: PriceRecord = {
    ...previous,
    ...(offeredTypes.status === 'fulfilled' && offeredTypes.value),
    at: now,
    region,
    onDemandUsd: {
      ...previous.onDemandUsd,
      ...(onDemand.status === 'fulfilled' && onDemand.value),
    },
    spotUsd: spot.status === 'fulfilled' ? spot.value : previous.spotUsd,
    ...(account && { commitments: [...account] }),
  };
  // Without zones nothing could be launched; readers then fall back to another source.
  if (Object.keys(record.zones).length > 0) await store.write(record);
  log({ level: 'info', message: 'prices refreshed', fields: countEntries(record) });

  const failures = [offeredTypes, onDemand, spot, reserved].flatMap((part): unknown[] =>
    part.status === 'rejected' ? [part.reason] : [],
  );
  if (failures.length === 0) return;
  // Logs show only the message of the AggregateError.
  const causes = failures.map(String).join('; ');
  throw new AggregateError(failures, `prices not refreshed in full: ${causes}`);
}

async function readOfferedTypes(ec2: EC2Client): Promise<Pick<PriceRecord, 'zones' | 'newer'>> {
  const zones = await describeZones(ec2);
  const entries = [...zones].map(([type, names]): [string, string[]] => [type, [...names]]);
  return {
    zones: Object.fromEntries(entries),
    newer: await readNewerTypes(ec2, [...zones.keys()]),
  };
}

const countEntries = ({ zones, newer, onDemandUsd, spotUsd }: PriceRecord) => ({
  types: Object.keys(zones).length,
  newerTypes: newer.length,
  onDemandPrices: Object.keys(onDemandUsd).length,
  spotZones: Object.keys(spotUsd).length,
});

/** The number of names that EC2 takes in one request. */
const MAX_NAMES = 100;

/**
 * Returns the types that this release does not know, one line each in the format of the bundle. EC2
 * does not publish their branch interfaces, so these are 0 until a release knows them.
 *
 * @throws EC2ServiceException - EC2 does not answer
 */
async function readNewerTypes(ec2: EC2Client, names: readonly string[]): Promise<string[]> {
  const unknownNames = names.filter((name) => !findEc2Type(name));
  const rows: string[] = [];
  for (const batch of splitIntoBatches(unknownNames, MAX_NAMES)) {
    rows.push(...(await readRows(ec2, batch)));
  }
  return rows.toSorted();
}

async function readRows(ec2: EC2Client, names: readonly string[]): Promise<readonly string[]> {
  // The SDK's union of names lacks exactly these types.
  const InstanceTypes = names as _InstanceType[];
  const rows: string[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2 }, { InstanceTypes })) {
    for (const type of page.InstanceTypes ?? []) {
      const row = reduceType(type, '', {});
      if (row) rows.push(COLUMNS.map((column) => row[column]).join('|'));
    }
  }
  return rows;
}
