import { findOnDemandUsd } from '../../../ec2/catalogue/on-demand-prices.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../model/time.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { Log } from '../../log.ts';
import type { Market } from './ec2-price-source.ts';
import type { PriceList } from './price-list.ts';
import { isStale, type MarketRecord, type MarketStore, priceListOf } from './price-record.ts';

const LOOK_AGAIN_AFTER_MS = 10 * MINUTE_MS;

export interface StoredMarketParts {
  readonly store: Pick<MarketStore, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Until somebody has stored a record, and while it cannot be read. */
  readonly otherwise: Market;
}

/**
 * The record that `catalog-refresh` keeps: one small read in place of a dozen requests to EC2. A
 * process looks for a newer one every ten minutes; an unchanged record is the same list.
 */
export function storedMarket({ store, clock, log, otherwise }: StoredMarketParts): Market {
  let known: { readonly at: EpochMs; readonly list: PriceList } | undefined;
  let lookAgainAt: EpochMs = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    lookAgainAt = clock.now() + LOOK_AGAIN_AFTER_MS;
    try {
      const record = await store.read();
      if (!record) return;
      sayIfStale(record);
      if (known?.at !== record.at)
        known = { at: record.at, list: priceListOf(record, findOnDemandUsd) };
    } catch (error) {
      lookAgainAt = clock.now() + MINUTE_MS;
      const fields = { error: String(error) };
      log({ level: 'warn', message: 'stored prices not read', fields });
    }
  }

  function sayIfStale(record: MarketRecord): void {
    if (!isStale(record, clock.now())) return;
    const hours = Math.floor((clock.now() - record.at) / HOUR_MS);
    log({ level: 'warn', message: 'stored prices are old', fields: { hours } });
  }

  return {
    async current() {
      if (clock.now() >= lookAgainAt) {
        looking ??= look().finally(() => {
          looking = undefined;
        });
      }
      await looking;
      return known?.list ?? otherwise.current();
    },
  };
}
