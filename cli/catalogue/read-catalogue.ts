import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type PriceRecord, priceRecordSchema, readNewerRows } from '../../shared/aws/ec2/prices/price-record.ts';
import { isGzipped } from '../../shared/aws/gzip-json.ts';
import { EC2_TYPES } from '../../shared/ec2/catalogue/ec2-types.ts';
import {
  findBundledCatalogue,
  type RegionCatalogue,
  type RegionPrices,
} from '../../shared/ec2/catalogue/region-catalogue.ts';
import { findPricingApi } from '../../shared/ec2/pricing-apis.ts';
import { findRegionOfZone } from '../../shared/ec2/regions.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { fail, whyUnreadable } from '../errors.ts';
import type { Io } from '../terminal/io.ts';

/**
 * Reads a catalogue from a file of `mortise catalogue`, or the one that a stack has in its bucket.
 *
 * @throws CliError - `file-unreadable`: the file cannot be read, or is no catalogue
 */
export async function readCatalogueFile(file: string, { cwd }: Pick<Io, 'cwd'>): Promise<RegionCatalogue> {
  const bytes = await readFile(resolve(cwd, file)).catch((error: unknown) => {
    throw fail({
      code: 'file-unreadable',
      what: `cannot open ${file}`,
      where: '--catalogue',
      why: whyUnreadable(error),
      fix: 'check the path',
    });
  });
  const record = parseRecord(bytes);
  const region = record?.region ?? findRegionOfRecord(record);
  if (record && region !== undefined) return toRegionCatalogue(record, region);
  throw fail({
    code: 'file-unreadable',
    what: `${file} is no catalogue`,
    where: '--catalogue',
    why: 'it lacks the zones of instance types that `mortise catalogue` writes',
    fix: 'mortise catalogue --region REGION --profile PROFILE --out FILE',
  });
}

/** A catalogue of a region has a fiftieth of it. */
const MAX_BYTES = 20 * 1024 * 1024;

function parseRecord(bytes: Buffer): PriceRecord | undefined {
  try {
    const text = isGzipped(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
    return priceRecordSchema.safeParse(JSON.parse(text.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

const findRegionOfRecord = (record: PriceRecord | undefined): string | undefined =>
  Object.values(record?.zones ?? {})
    .flat()
    .map(findRegionOfZone)
    .find((region) => region !== undefined);

/** Converts EC2's answers about a region. Without an on-demand price of the region, it is not priced. */
export function toRegionCatalogue(record: PriceRecord, region: string): RegionCatalogue {
  const { zones, zoneIds = {} } = record;
  const newer = readNewerRows(record.newer);
  const prices = toPrices(record, region);
  return {
    ...{ region, source: 'ec2', zoneIds, newer, types: [...EC2_TYPES, ...newer] },
    zones: [...new Set(Object.values(zones).flat())].toSorted(),
    zonesOf: (type) => ownValue(zones, type) ?? [],
    spotUsd: (type, zone) => ownValue(ownValue(record.spotUsd, zone), type),
    ...(prices && { prices }),
  };
}

function toPrices({ at, onDemandUsd }: PriceRecord, region: string): RegionPrices | undefined {
  const bundled = findBundledCatalogue(region)?.prices;
  const isListed = Object.keys(onDemandUsd).length > 0;
  if (!isListed && !bundled) return undefined;
  return {
    asOf: isListed ? new Date(at).toISOString().slice(0, 10) : (bundled?.asOf ?? ''),
    currency: findPricingApi(region)?.currency ?? 'USD',
    onDemandUsd: (type) => (isListed ? ownValue(onDemandUsd, type) : bundled?.onDemandUsd(type)),
  };
}
