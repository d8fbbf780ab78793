import type { PlannedClaim, PoolRefusal } from '../../model/plans.ts';
import type { Problem } from '../problem.ts';
import { reservationIds } from '../types/reservations.ts';

/** Of pods that wait for the next plan, for the claims of this one take what is reserved. */
export function reservationsTaken(
  claims: readonly PlannedClaim[],
  { templates }: Problem,
): PoolRefusal[] {
  const ids = claims.flatMap(({ claim }) => reservationIds(claim));
  const reservations = [...new Set(ids)].toSorted().join(', ');
  return templates.map(({ pool }) => ({
    pool: pool.name,
    reasons: [{ code: 'reservation-taken', fields: { reservations } }],
  }));
}
