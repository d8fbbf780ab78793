import { shareWhileRunning } from '../../../model/concurrency.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../model/time.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { Log } from '../../log.ts';
import type { PriceSource } from './ec2-price-source.ts';
import type { PriceList } from './price-list.ts';
import { isPriceRecordStale, type PriceRecord, type PriceRecordStore, toPriceList } from './price-record.ts';

const RELOAD_AFTER_MS = 10 * MINUTE_MS;

export interface StoredPriceSourceDependencies {
  readonly store: Pick<PriceRecordStore, 'read'>;
  readonly region: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The source before the first record, and while the record cannot be read. */
  readonly fallback: PriceSource;
}

/**
 * Reads the record that `catalog-refresh` writes: one small read instead of a dozen requests to
 * EC2. A process checks for a newer record every ten minutes; an unchanged record gives the same
 * list object.
 */
export function storedPriceSource({ store, region, clock, log, fallback }: StoredPriceSourceDependencies): PriceSource {
  let loaded: { readonly at: EpochMs; readonly list: PriceList } | undefined;
  let reloadAt: EpochMs = 0;

  const reloadIfDue = shareWhileRunning(async () => {
    if (clock.now() < reloadAt) return;
    reloadAt = clock.now() + RELOAD_AFTER_MS;
    try {
      const record = await store.read();
      if (!record) {
        // S3 gives the same answer if the record may not be read.
        const fields = { retryInMinutes: RELOAD_AFTER_MS / MINUTE_MS };
        return log({ level: 'info', message: 'no stored prices', fields });
      }
      warnIfStale(record);
      if (loaded?.at !== record.at) loaded = { at: record.at, list: toPriceList(record, region) };
    } catch (error) {
      reloadAt = clock.now() + MINUTE_MS;
      const fields = { error: String(error) };
      log({ level: 'warn', message: 'stored prices not read', fields });
    }
  });

  function warnIfStale(record: PriceRecord): void {
    if (!isPriceRecordStale(record, clock.now())) return;
    const hours = Math.floor((clock.now() - record.at) / HOUR_MS);
    log({ level: 'warn', message: 'stored prices are old', fields: { hours } });
  }

  return {
    async current() {
      await reloadIfDue();
      return loaded?.list ?? fallback.current();
    },
  };
}
