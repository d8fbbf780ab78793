import * as z from 'zod';
import { type Ec2Type, findEc2Type, isBundleRow, readEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import type { EpochMs } from '../../../model/time.ts';
import { commitmentSchema } from '../../../model-schema/settings-schema.ts';
import { createPriceList, findBundledPrices, type PriceList } from './price-list.ts';

const usdByType = z.record(z.string(), z.number());

/** The offerings and prices of a region at the last refresh, in USD per hour. */
export const priceRecordSchema = z.object({
  /** The time of the last refresh of any part. */
  at: z.number(),
  /** Undefined in records of earlier releases. */
  region: z.string().exactOptional(),
  /** Zone ids by zone, in files of `mortise catalogue` only. */
  zoneIds: z.record(z.string(), z.string()).exactOptional(),
  /** Zones by instance type. */
  zones: z.record(z.string(), z.array(z.string())),
  /** Types that the writing release did not know, one line each in the format of the bundle. */
  newer: z.array(z.string()).default([]),
  /**
   * A missing type is in the bundled list of the region, or is not sold on-demand. Empty if no price list of
   * the region answers.
   */
  onDemandUsd: usdByType,
  /** By zone, then by type. A missing type is not sold as spot in the zone. */
  spotUsd: z.record(z.string(), usdByType),
  /** Reserved instances of the account; undefined if they are not read. */
  commitments: z.array(commitmentSchema).exactOptional(),
});
export type PriceRecord = z.output<typeof priceRecordSchema>;

/** Stores the price record of a region. */
export interface PriceRecordStore {
  /** Returns undefined before the first refresh. */
  read(): Promise<PriceRecord | undefined>;
  write(record: PriceRecord): Promise<void>;
}

/** @param region - its bundled prices stand in for prices that the record lacks */
export function toPriceList(
  { zones, newer, onDemandUsd, spotUsd, commitments }: PriceRecord,
  region: string,
): PriceList {
  const bundled = findBundledPrices(region);
  const isPriced = bundled !== undefined || Object.keys(onDemandUsd).length > 0;
  return {
    ...(commitments && { commitments }),
    ...createPriceList({
      zonesOf: (instanceType) => zones[instanceType] ?? [],
      spotUsd: (instanceType, zone) => spotUsd[zone]?.[instanceType],
      onDemandUsd: isPriced ? (instanceType) => onDemandUsd[instanceType] ?? bundled?.(instanceType) : undefined,
      newer: readNewerRows(newer),
    }),
  };
}

/** Returns the types that this release does not know itself. */
export const readNewerRows = (rows: readonly string[]): readonly Ec2Type[] =>
  rows
    .filter(isBundleRow)
    .map(readEc2Type)
    .filter(({ name }) => !findEc2Type(name));

/** A stale record is still used, with a warning in the log. */
export const isPriceRecordStale = ({ at }: PriceRecord, now: EpochMs): boolean => now - at > STALE_AFTER_MS;

const STALE_AFTER_MS = 26 * 60 * 60 * 1000;
