import type { NodeClassResolution, NodeReservation, NodeSubnet } from '../../model/nodes/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';

/** The subnet addresses and reservation slots that a launch has used. */
export interface CapacityUsage {
  readonly launch: string;
  readonly at: EpochMs;
  /** By the id of the subnet or reservation. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids that EC2 reported as used up. */
  readonly exhausted: readonly string[];
}

/**
 * Returns the subnets with their remaining addresses, most first. EC2's counts are as old as the
 * class's resolution, so addresses used by later launches are subtracted.
 *
 * @param since - the time of EC2's counts
 */
export function subtractUsedAddresses(
  subnets: readonly NodeSubnet[],
  usages: readonly CapacityUsage[],
  since: EpochMs,
): readonly NodeSubnet[] {
  const remaining = subnets.map((subnet) => ({
    ...subnet,
    freeAddresses: computeRemaining(subnet.id, subnet.freeAddresses, usages, since),
  }));
  return remaining.toSorted((a, b) => b.freeAddresses - a.freeAddresses);
}

/**
 * Returns the reservations with their remaining instances.
 *
 * @param since - the time of EC2's counts
 */
export const subtractUsedReservations = (
  reservations: readonly NodeReservation[],
  usages: readonly CapacityUsage[],
  since: EpochMs,
): readonly NodeReservation[] =>
  reservations.map((one) => ({
    ...one,
    freeInstances: computeRemaining(one.id, one.freeInstances, usages, since),
  }));

function computeRemaining(id: string, counted: number, usages: readonly CapacityUsage[], since: EpochMs): number {
  if (usages.some(({ exhausted }) => exhausted.includes(id))) return 0;
  const later = usages.filter(({ at }) => at >= since);
  const sum = later.reduce((total, { counts }) => total + (counts[id] ?? 0), 0);
  return Math.max(0, counted - sum);
}

/**
 * Lists the zones in which every subnet of the class is full, sorted. Nothing can be launched
 * there.
 */
export const listFullZones = (resolved: Pick<NodeClassResolution, 'subnets'>): readonly string[] => {
  const open = new Set(listLaunchZones(resolved));
  const all = new Set(resolved.subnets.map(({ zone }) => zone));
  return [...all].filter((zone) => !open.has(zone)).toSorted();
};

/** Lists the zones in which the class has a subnet with a free address, sorted. */
export const listLaunchZones = ({ subnets }: Pick<NodeClassResolution, 'subnets'>): readonly string[] => {
  const free = subnets.filter(({ freeAddresses }) => freeAddresses > 0);
  return [...new Set(free.map(({ zone }) => zone))].toSorted();
};
