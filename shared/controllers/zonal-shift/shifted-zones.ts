import { type ShiftedZone, zoneOf } from '../../model/offerings/zones.ts';
import type { ZonalShifts } from '../../ports/cloud.ts';
import type { UnavailableOfferings } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';

type ShiftPorts = Pick<Ports, 'clock' | 'zonalShifts'>;

/** The shift away from an instance's zone. `undefined`: there is none. */
export async function findShiftAwayFrom(
  { clock, zonalShifts }: ShiftPorts,
  providerId: string,
): Promise<ShiftedZone | undefined> {
  const zones = (await zonalShifts?.list(clock.now())) ?? [];
  return zones.find(({ zone }) => zone === zoneOf(providerId));
}

/**
 * Returns a test for instances that EC2 may be asked about. Instances in shifted zones are left
 * alone, because EC2's answers about these zones may be wrong; callers handle them later.
 */
export async function createReachabilityCheck({
  clock,
  zonalShifts,
}: ShiftPorts): Promise<(providerId: string | undefined) => boolean> {
  const zones = new Set<string | undefined>(((await zonalShifts?.list(clock.now())) ?? []).map(({ zone }) => zone));
  return (providerId) => !zones.has(zoneOf(providerId));
}

/** Adds shifted zones to the unavailable offerings. */
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
