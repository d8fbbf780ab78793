import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/reasons.ts';
import { formatInstant } from '../../model/time.ts';
import type { Problem } from '../problem.ts';
import type { Where } from '../types/offering-index.ts';

/** Why zones among these have nothing to offer at all; absent: none is shifted away from. */
export function shiftReason({ zones }: Where, problem: Problem): Reason | undefined {
  const { offerings, snapshot } = problem;
  const here = shiftsOf(snapshot).filter(
    ({ zone = '' }) => zones & (2 ** offerings.zones.indexOf(zone)),
  );
  if (here.length === 0) return undefined;
  const names = [...new Set(here.map(({ zone = '' }) => zone))].toSorted();
  const until = formatInstant(Math.min(...here.map((one) => one.until)));
  return { code: 'zonal-shift', fields: { zone: names.join(', '), until } };
}

/** What is left of where a pod may run. */
export function outsideShifts(where: Where, { offerings, snapshot }: Problem): Where {
  const shifted = new Set(shiftsOf(snapshot).map(({ zone }) => zone));
  const zones = offerings.zones.reduce(
    (left, zone, bit) => (shifted.has(zone) ? left & ~(2 ** bit) : left),
    where.zones,
  );
  return { ...where, zones };
}

const shiftsOf = ({ unavailable, takenAt }: ClusterSnapshot) =>
  unavailable.filter(({ isShifted, until }) => isShifted && until > takenAt);
