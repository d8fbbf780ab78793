import type { EpochMs } from '../model/time.ts';
import type { ShiftedZone, ZonalShift } from '../model/zonal-shift.ts';

export type ShiftAnswer =
  /** Those in force: each zone once, with an end that is still to come. */
  | { readonly outcome: 'told'; readonly shifts: readonly ZonalShift[] }
  /** Nobody can shift this cluster. */
  | { readonly outcome: 'not-registered' }
  /** @see why - a sentence for who runs the cluster */
  | { readonly outcome: 'unknown'; readonly why: string };

/** Who knows which zones the cluster is shifted away from. */
export interface ShiftSource {
  ask(now: EpochMs): Promise<ShiftAnswer>;
}

/** What the last who asked was told: one list, for all who launch or end something. */
export interface ZonalShifts {
  /** Those whose end has not come. */
  list(now: EpochMs): Promise<readonly ShiftedZone[]>;
  /**
   * Puts these in the place of all that were there.
   *
   * @returns those: of two who replace at once, the second gets what the first put there
   */
  replace(zones: readonly ShiftedZone[]): Promise<readonly ShiftedZone[]>;
}
