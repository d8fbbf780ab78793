import type { EC2Client } from '@aws-sdk/client-ec2';
import { shareWhileRunning } from '../../../model/concurrency.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../model/time.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { Log } from '../../log.ts';
import { describeZones } from './describe-zones.ts';
import { bundledPriceList, createPriceList, type PriceList } from './price-list.ts';
import { createSpotPriceLookup } from './spot-price-history.ts';

const REFRESH_AFTER_MS = 12 * HOUR_MS;
const RETRY_AFTER_MS = MINUTE_MS;

/** The source of offerings and prices. */
export interface PriceSource {
  /** Returns the same list object until prices change, because decisions cache by identity. */
  current(): Promise<PriceList>;
}

/** A price source with the prices of the bundled catalogue. It calls no API. */
export function bundledPriceSource(zones?: readonly string[]): PriceSource {
  const list = bundledPriceList(zones);
  return { current: async () => list };
}

/**
 * Queries EC2 for the zones of each type and for spot prices, twice a day per process: three or
 * four requests of each kind for three zones, about a second. On-demand prices are the bundled
 * ones. If EC2 does not answer, the last answer is used; before the first answer, the bundle.
 *
 * @param zones - zones to query; undefined for all zones of the region
 */
export function ec2PriceSource(
  ec2: EC2Client,
  { zones, clock, log }: { zones?: readonly string[]; readonly clock: Clock; log: Log },
): PriceSource {
  let list = bundledPriceList(zones);
  let refreshAt: EpochMs = 0;

  const refreshIfDue = shareWhileRunning(async () => {
    const now = clock.now();
    if (now < refreshAt) return;
    try {
      list = await readPriceList(ec2, zones, now);
      refreshAt = now + REFRESH_AFTER_MS;
    } catch (error) {
      refreshAt = now + RETRY_AFTER_MS;
      const fields = { error: String(error) };
      log({ level: 'warn', message: 'prices not refreshed', fields });
    }
  });

  return {
    async current() {
      await refreshIfDue();
      return list;
    },
  };
}

async function readPriceList(
  ec2: EC2Client,
  zones: readonly string[] | undefined,
  now: EpochMs,
): Promise<PriceList> {
  const [zonesByType, spotUsd] = await Promise.all([
    describeZones(ec2, zones),
    createSpotPriceLookup(ec2, zones, now),
  ]);
  return createPriceList((instanceType) => zonesByType.get(instanceType) ?? [], spotUsd);
}
