import type { UnavailableOffering } from '../model/instance-type.ts';
import type { EpochMs } from '../model/time.ts';

/** What EC2 said it has none of, remembered for a while. */
export interface UnavailableOfferings {
  list(now: EpochMs): Promise<readonly UnavailableOffering[]>;
  /** A later `until` wins over an earlier one for the same offering. */
  add(offerings: readonly UnavailableOffering[]): Promise<void>;
}
