import type {
  NodeClassResolution,
  NodeReservation,
  NodeSubnet,
} from '../../model/nodes/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';

/** What a launch has taken of what EC2 counts: addresses of subnets, instances of reservations. */
export interface CapacityUsage {
  readonly launch: string;
  readonly at: EpochMs;
  /** By the id of the subnet or the reservation. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of which EC2 said that nothing is left. */
  readonly exhausted: readonly string[];
}

/**
 * The subnets with what is left of their addresses, most first. EC2's count is as old as the class's
 * record: what was launched since then is not in it.
 *
 * @param since - when EC2 was asked
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

/** The reservations with what is left of them. @param since - when EC2 was asked */
export const subtractUsedReservations = (
  reservations: readonly NodeReservation[],
  usages: readonly CapacityUsage[],
  since: EpochMs,
): readonly NodeReservation[] =>
  reservations.map((one) => ({
    ...one,
    freeInstances: computeRemaining(one.id, one.freeInstances, usages, since),
  }));

function computeRemaining(
  id: string,
  counted: number,
  usages: readonly CapacityUsage[],
  since: EpochMs,
): number {
  if (usages.some(({ exhausted }) => exhausted.includes(id))) return 0;
  const later = usages.filter(({ at }) => at >= since);
  const sum = later.reduce((total, { counts }) => total + (counts[id] ?? 0), 0);
  return Math.max(0, counted - sum);
}

/** Zones of which every subnet of the class is full, sorted: nothing is launched there. */
export const listFullZones = (
  resolved: Pick<NodeClassResolution, 'subnets'>,
): readonly string[] => {
  const open = new Set(listLaunchZones(resolved));
  const all = new Set(resolved.subnets.map(({ zone }) => zone));
  return [...all].filter((zone) => !open.has(zone)).toSorted();
};

/** Zones where a node of the class finds a subnet that has an address left for it, sorted. */
export const listLaunchZones = ({
  subnets,
}: Pick<NodeClassResolution, 'subnets'>): readonly string[] => {
  const free = subnets.filter(({ freeAddresses }) => freeAddresses > 0);
  return [...new Set(free.map(({ zone }) => zone))].toSorted();
};
