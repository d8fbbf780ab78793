import type { ReportUnreadable } from '../../shared/aws/dynamodb/table/read-rows.ts';
import { metrics } from './metrics.ts';
import { logger } from './telemetry.ts';

const reported = new Set<string>();

/** Counts each read of such a row, so that the alarm stays, and logs its key once per process. */
export const reportUnreadable: ReportUnreadable = (row, cause) => {
  metrics.count('mortise_unreadable_rows_total', {});
  if (reported.has(row)) return;
  reported.add(row);
  logger.error('row cannot be read', { row, error: cause });
};
