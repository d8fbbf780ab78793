import type { NodeReservation, NodeSubnet } from '../../model/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';

/** What a launch has taken of what EC2 counts: addresses of subnets, instances of reservations. */
export interface Taken {
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
export function subnetsWithRoom(
  subnets: readonly NodeSubnet[],
  taken: readonly Taken[],
  since: EpochMs,
): readonly NodeSubnet[] {
  const left = subnets.map((subnet) => ({
    ...subnet,
    freeAddresses: leftOf(subnet.id, subnet.freeAddresses, taken, since),
  }));
  return left.toSorted((a, b) => b.freeAddresses - a.freeAddresses);
}

/** The reservations with what is left of them. @param since - when EC2 was asked */
export const reservationsWithRoom = (
  reservations: readonly NodeReservation[],
  taken: readonly Taken[],
  since: EpochMs,
): readonly NodeReservation[] =>
  reservations.map((one) => ({
    ...one,
    freeInstances: leftOf(one.id, one.freeInstances, taken, since),
  }));

function leftOf(id: string, counted: number, taken: readonly Taken[], since: EpochMs): number {
  if (taken.some(({ exhausted }) => exhausted.includes(id))) return 0;
  const later = taken.filter(({ at }) => at >= since);
  const sum = later.reduce((total, { counts }) => total + (counts[id] ?? 0), 0);
  return Math.max(0, counted - sum);
}
