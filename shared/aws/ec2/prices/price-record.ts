import * as z from 'zod';
import { findEc2Type, isBundleRow, readEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import type { EpochMs } from '../../../model/time.ts';
import { createPriceList, type PriceList } from './price-list.ts';

const usdByType = z.record(z.string(), z.number());

/** What EC2 sells in a region, and for how much, as it was told last. USD per hour. */
export const priceRecordSchema = z.object({
  /** When the last part of it was refreshed. */
  at: z.number(),
  /** Where each type is offered. */
  zones: z.record(z.string(), z.array(z.string())),
  /** Types that the release which wrote this did not know, one line each as in the bundled list. */
  newer: z.array(z.string()).default([]),
  /** Absent for a type: it is on the bundled list, or not sold on demand. */
  onDemandUsd: usdByType,
  /** By zone, then by type. Absent for a type: the zone sells none. */
  spotUsd: z.record(z.string(), usdByType),
});
export type PriceRecord = z.output<typeof priceRecordSchema>;

/** Where the record of a region is kept, and read. */
export interface PriceRecordStore {
  /** Absent: nobody has refreshed it yet. */
  read(): Promise<PriceRecord | undefined>;
  write(record: PriceRecord): Promise<void>;
}

/** @param findBundledUsd - of a type that the record has no on-demand price of */
export const toPriceList = (
  { zones, newer, onDemandUsd, spotUsd }: PriceRecord,
  findBundledUsd: (instanceType: string) => number | undefined,
): PriceList =>
  createPriceList(
    (instanceType) => zones[instanceType] ?? [],
    (instanceType, zone) => spotUsd[zone]?.[instanceType],
    (instanceType) => onDemandUsd[instanceType] ?? findBundledUsd(instanceType),
    // Another release may know some of them by itself.
    newer
      .filter(isBundleRow)
      .map(readEc2Type)
      .filter(({ name }) => !findEc2Type(name)),
  );

/** So old, prices and zones are still the best that is known, and somebody had better look. */
export const isPriceRecordStale = ({ at }: PriceRecord, now: EpochMs): boolean =>
  now - at > STALE_AFTER_MS;

const STALE_AFTER_MS = 26 * 60 * 60 * 1000;
