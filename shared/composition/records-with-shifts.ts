import { outsideShifts } from '../controllers/zonal-shift/shifted-zones.ts';
import type { ZonalShifts } from '../ports/cloud.ts';
import type { HomeSettings } from './settings.ts';
import type { Records } from './records.ts';

type ShiftingRecords = Omit<Records, 'zonalShifts'> & { readonly zonalShifts?: ZonalShifts };

/** Records as a home sees them that keeps out of shifted zones, or that knows nothing of them. */
export function recordsWithShifts(
  records: Records,
  { followsShifts = false }: Pick<HomeSettings, 'followsShifts'>,
): ShiftingRecords {
  const { zonalShifts, ...others } = records;
  if (!followsShifts) return others;
  const unavailableOfferings = outsideShifts(others.unavailableOfferings, zonalShifts);
  return { ...others, zonalShifts, unavailableOfferings };
}
