import type { EC2Client } from '@aws-sdk/client-ec2';
import { shareWhileRunning } from '../../../model/concurrency.ts';
import { ownValue } from '../../../model/own-value.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../model/time.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { Log } from '../../log.ts';
import { describeZones } from './describe-zones.ts';
import {
  bundledPriceList,
  createPriceList,
  findBundledPrices,
  type OnDemandPrices,
  type PriceList,
} from './price-list.ts';
import { createSpotPriceLookup } from './spot-price-history.ts';

const REFRESH_AFTER_MS = 12 * HOUR_MS;
const RETRY_AFTER_MS = MINUTE_MS;

/** Reads the on-demand prices of the region by type; empty if no price list has it. */
export type ReadOnDemandUsd = () => Promise<Readonly<Record<string, number>>>;

export interface Ec2PriceSourceOptions {
  readonly region: string;
  /** Zones to query; undefined for all zones of the region. */
  readonly zones?: readonly string[];
  /** Asks the price list API; undefined if it is not asked. */
  readonly readOnDemandUsd?: ReadOnDemandUsd;
  readonly clock: Clock;
  readonly log: Log;
}

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
 * four requests of each kind for three zones, about a second. On-demand prices are those of the price
 * list API if `readOnDemandUsd` asks it, else the bundled ones of the region. If EC2 does not answer, the
 * last answer is used; before the first answer, the bundle.
 */
export function ec2PriceSource(ec2: EC2Client, options: Ec2PriceSourceOptions): PriceSource {
  const { region, zones, clock, log } = options;
  let list = bundledPriceList(zones, region);
  let refreshAt: EpochMs = 0;

  const refreshIfDue = shareWhileRunning(async () => {
    const now = clock.now();
    if (now < refreshAt) return;
    try {
      list = await readPriceList(ec2, options, now);
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
  { zones, ...options }: Ec2PriceSourceOptions,
  now: EpochMs,
): Promise<PriceList> {
  const [zonesByType, spotUsd, onDemandUsd] = await Promise.all([
    describeZones(ec2, zones),
    createSpotPriceLookup(ec2, zones, now),
    findOnDemandPrices(options),
  ]);
  return createPriceList({
    zonesOf: (instanceType) => zonesByType.get(instanceType) ?? [],
    spotUsd,
    onDemandUsd,
  });
}

/** The price list API is a service of its own: without its answer, EC2's answers still count. */
async function findOnDemandPrices({
  readOnDemandUsd,
  region,
  log,
}: Ec2PriceSourceOptions): Promise<OnDemandPrices | undefined> {
  const bundled = findBundledPrices(region);
  if (!readOnDemandUsd) return bundled;
  try {
    const prices = await readOnDemandUsd();
    const isListed = Object.keys(prices).length > 0;
    return isListed ? (type) => ownValue(prices, type) ?? bundled?.(type) : bundled;
  } catch (error) {
    const fields = { error: String(error) };
    log({ level: 'warn', message: 'on-demand prices not read', fields });
    return bundled;
  }
}
