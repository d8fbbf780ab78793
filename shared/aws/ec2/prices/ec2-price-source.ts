import type { EC2Client } from '@aws-sdk/client-ec2';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../model/time.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { Log } from '../../log.ts';
import { describeZones } from './describe-zones.ts';
import { bundledPriceList, createPriceList, type PriceList } from './price-list.ts';
import { readSpotPrices } from './spot-price-history.ts';

const FRESH_FOR_MS = 12 * HOUR_MS;
const RETRY_AFTER_MS = MINUTE_MS;

/** Where offerings come from. */
export interface Market {
  /** The same list object until prices move: decisions cache by identity. */
  current(): Promise<PriceList>;
}

/** What the product knows by itself; nothing is asked. */
export function bundledMarket(zones?: readonly string[]): Market {
  const list = bundledPriceList(zones);
  return { current: async () => list };
}

/**
 * Which zone offers what, and spot prices, as EC2 tells them: twice a day for each process, three or
 * four requests of each kind for three zones, about a second. On-demand prices are the bundled ones.
 * While EC2 does not answer, the last answer holds; before the first, the bundle does.
 *
 * @param zones - those that matter; absent: all of the region
 */
export function ec2Market(
  ec2: EC2Client,
  { zones, clock, log }: { zones?: readonly string[]; readonly clock: Clock; log: Log },
): Market {
  let list = bundledPriceList(zones);
  let askAgainAt: EpochMs = 0;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const now = clock.now();
    try {
      list = await readPriceList(ec2, zones, now);
      askAgainAt = now + FRESH_FOR_MS;
    } catch (error) {
      askAgainAt = now + RETRY_AFTER_MS;
      const fields = { error: String(error) };
      log({ level: 'warn', message: 'prices not refreshed', fields });
    }
  }

  return {
    async current() {
      if (clock.now() >= askAgainAt) {
        asking ??= ask().finally(() => {
          asking = undefined;
        });
        await asking;
      }
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
    readSpotPrices(ec2, zones, now),
  ]);
  return createPriceList((instanceType) => zonesByType.get(instanceType) ?? [], spotUsd);
}
