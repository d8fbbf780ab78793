import { type ShiftedZone, zoneOf } from '../../model/offerings/zones.ts';
import type { ZonalShifts } from '../../ports/cloud.ts';
import type { UnavailableOfferings } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';

type ShiftPorts = Pick<Ports, 'clock' | 'zonalShifts'>;

/** What leads away from where an instance is; absent: nothing does. */
export async function findShiftAwayFrom(
  { clock, zonalShifts }: ShiftPorts,
  providerId: string,
): Promise<ShiftedZone | undefined> {
  const zones = (await zonalShifts?.list(clock.now())) ?? [];
  return zones.find(({ zone }) => zone === zoneOf(providerId));
}

/**
 * Which instances EC2 may be asked about now. Those in a shifted zone are left alone, for EC2's answers
 * of that zone may be wrong; whoever leaves one alone sees to it later.
 */
export async function createReachabilityCheck({
  clock,
  zonalShifts,
}: ShiftPorts): Promise<(providerId: string | undefined) => boolean> {
  const zones = new Set<string | undefined>(
    ((await zonalShifts?.list(clock.now())) ?? []).map(({ zone }) => zone),
  );
  return (providerId) => !zones.has(zoneOf(providerId));
}

/** The same list, in which nothing of a shifted zone is to be had. */
export const withShiftedZones = (
  unavailableOfferings: UnavailableOfferings,
  zonalShifts: ZonalShifts,
): UnavailableOfferings => ({
  ...unavailableOfferings,
  async list(now) {
    const [unavailable, zones] = await Promise.all([unavailableOfferings.list(now), zonalShifts.list(now)]);
    const shifted = zones.map(({ zone, until }) => ({ zone, until, isShifted: true }) as const);
    return [...unavailable, ...shifted];
  },
});
