import { describe, expect, it } from 'vitest';
import { reservationMeter } from '../../console/history/reservation-hours.ts';
import { listReservations } from '../../console/views/cost/reservations.ts';
import { RESERVATION_ID_LABEL } from '../../shared/model/labels.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { aLaunch, aNodeClaim, anOffering, aSnapshot, NOON } from '../support/builders.ts';

const ID = 'cr-1';

/** A reservation with this number of nodes in it, and room for more. */
function aReservation(takenAt: number, used: number, free: number) {
  const reservation = { id: ID, kind: 'default', isInterruptible: false, free } as const;
  return aSnapshot({
    takenAt,
    offerings: [
      anOffering({ capacityType: 'reserved', hourlyUsd: 0.0001, reservation }),
      anOffering({ hourlyUsd: 0.1 }),
    ],
    claims: Array.from({ length: used }, (_, index) =>
      aNodeClaim({
        name: `general-${index}`,
        launch: aLaunch({ capacityType: 'reserved', labels: { [RESERVATION_ID_LABEL]: ID } }),
      }),
    ),
  });
}

describe('the hours of a reservation', () => {
  it('count each moment with the numbers that held until the next one', () => {
    const meter = reservationMeter();
    meter.read(aReservation(NOON, 1, 3));
    meter.read(aReservation(NOON + HOUR_MS, 4, 0));
    meter.read(aReservation(NOON + 1.5 * HOUR_MS, 4, 0));

    expect(meter.hoursOf(ID)).toEqual({ used: 3, idle: 3 });
    expect(meter.since()).toBe(NOON);
  });

  it('come with what its idle instances would cost on demand', () => {
    const [row] = listReservations(aReservation(NOON, 1, 3), () => ({ used: 2, idle: 6 }));
    expect(row).toMatchObject({ id: ID, used: 1, idle: 3, usedHours: 2, idleHours: 6 });
    expect(row?.idleHourlyUsd).toBeCloseTo(0.3);
  });

  it('are not listed for a cluster without reservations', () => {
    expect(listReservations(aSnapshot(), () => ({ used: 0, idle: 0 }))).toEqual([]);
  });
});
