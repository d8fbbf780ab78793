import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import { countReservations, type ReservationHours } from '../views/cost/reservations.ts';

/** Adds up how long the instances of each reservation were used and idle. */
export interface ReservationMeter {
  /** Counts the time since the last snapshot with the numbers of that one. */
  read(snapshot: ClusterSnapshot): void;
  /** The hours of a reservation until the last snapshot. */
  hoursOf(id: string): ReservationHours;
  /** The time of the first snapshot. */
  since(): EpochMs | undefined;
}

const NO_HOURS: ReservationHours = { used: 0, idle: 0 };

export function reservationMeter(): ReservationMeter {
  const hours = new Map<string, ReservationHours>();
  let last: ClusterSnapshot | undefined;
  let since: EpochMs | undefined;

  return {
    read(snapshot) {
      since ??= snapshot.takenAt;
      const passed = last ? Math.max(0, snapshot.takenAt - last.takenAt) / HOUR_MS : 0;
      for (const { id, used, idle } of last ? countReservations(last) : []) {
        const before = hours.get(id) ?? NO_HOURS;
        hours.set(id, { used: before.used + used * passed, idle: before.idle + idle * passed });
      }
      last = snapshot;
    },
    hoursOf: (id) => hours.get(id) ?? NO_HOURS,
    since: () => since,
  };
}
