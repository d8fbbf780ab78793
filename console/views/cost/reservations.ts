import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { RESERVATION_ID_LABEL } from '../../../shared/model/labels.ts';
import type { ReservationRow } from '../../screen-views.ts';

/** Instance hours of a reservation. */
export interface ReservationHours {
  readonly used: number;
  readonly idle: number;
}

export type ReservationCount = Pick<ReservationRow, 'id' | 'instanceType' | 'zone' | 'used' | 'idle'>;

/** Counts the nodes in each reservation, and the instances that still fit, by the id. */
export function countReservations({ offerings, claims }: ClusterSnapshot): readonly ReservationCount[] {
  const used = new Map<string, number>();
  for (const { launch } of claims) {
    const id = launch?.labels[RESERVATION_ID_LABEL];
    if (id !== undefined) used.set(id, (used.get(id) ?? 0) + 1);
  }
  const counts = new Map<string, ReservationCount>();
  for (const { reservation, instanceType, zone } of offerings) {
    if (!reservation) continue;
    const { id, free } = reservation;
    counts.set(id, { ...{ id, instanceType, zone }, used: used.get(id) ?? 0, idle: free });
  }
  return [...counts.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The reservations with their hours, and what the idle ones would cost on demand. */
export const listReservations = (
  snapshot: ClusterSnapshot,
  hoursOf: (id: string) => ReservationHours,
): readonly ReservationRow[] =>
  countReservations(snapshot).map((count) => {
    const { used, idle } = hoursOf(count.id);
    const price = snapshot.offerings.find(
      ({ instanceType, zone, capacityType }) =>
        capacityType === 'on-demand' && instanceType === count.instanceType && zone === count.zone,
    )?.hourlyUsd;
    return {
      ...count,
      ...{ usedHours: used, idleHours: idle },
      ...(price !== undefined && { idleHourlyUsd: price * count.idle }),
    };
  });
