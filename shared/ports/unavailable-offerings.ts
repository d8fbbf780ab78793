import type { OfferingPart, UnavailableOffering } from '../model/instance-type.ts';
import type { EpochMs } from '../model/time.ts';

/** What EC2 said it has none of, remembered for a while: the longer, the oftener it said so. */
export interface UnavailableOfferings {
  list(now: EpochMs): Promise<readonly UnavailableOffering[]>;

  /**
   * EC2 has none of these now. How long that holds follows from what is remembered (`markShort`), and
   * two that say so at once are both counted.
   *
   * @returns the marks as they are now, in the order given
   */
  mark(dry: readonly OfferingPart[], now: EpochMs): Promise<readonly UnavailableOffering[]>;
}
