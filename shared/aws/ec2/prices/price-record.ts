import * as z from 'zod';
import { findEc2Type, isBundleRow, readEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import type { EpochMs } from '../../../model/time.ts';
import { commitmentSchema } from '../../../model-schema/settings-schema.ts';
import { createPriceList, type PriceList } from './price-list.ts';

const usdByType = z.record(z.string(), z.number());

/** The offerings and prices of a region at the last refresh, in USD per hour. */
export const priceRecordSchema = z.object({
  /** The time of the last refresh of any part. */
  at: z.number(),
  /** Zones by instance type. */
  zones: z.record(z.string(), z.array(z.string())),
  /** Types that the writing release did not know, one line each in the format of the bundle. */
  newer: z.array(z.string()).default([]),
  /** A missing type is in the bundled list, or is not sold on-demand. */
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

/**
 * @param findBundledUsd - price of a type that has no on-demand price in the record
 */
export const toPriceList = (
  { zones, newer, onDemandUsd, spotUsd, commitments }: PriceRecord,
  findBundledUsd: (instanceType: string) => number | undefined,
): PriceList => ({
  ...(commitments && { commitments }),
  ...createPriceList(
    (instanceType) => zones[instanceType] ?? [],
    (instanceType, zone) => spotUsd[zone]?.[instanceType],
    (instanceType) => onDemandUsd[instanceType] ?? findBundledUsd(instanceType),
    // This release may know some of the types itself.
    newer
      .filter(isBundleRow)
      .map(readEc2Type)
      .filter(({ name }) => !findEc2Type(name)),
  ),
});

/** A stale record is still used, with a warning in the log. */
export const isPriceRecordStale = ({ at }: PriceRecord, now: EpochMs): boolean =>
  now - at > STALE_AFTER_MS;

const STALE_AFTER_MS = 26 * 60 * 60 * 1000;
