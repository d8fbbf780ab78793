import type { LearnedSize } from '../model/learned-sizes.ts';
import type { EpochMs } from '../model/time.ts';

/** What nodes have turned out to have, in the place of estimates. */
export interface LearnedSizes {
  /** One for each image, type and setup of which a node was seen in the last 60 days. */
  list(now: EpochMs): Promise<readonly LearnedSize[]>;
  /** Remembers the least that nodes like this have shown; two who learn at once are both heard. */
  learn(seen: LearnedSize, now: EpochMs): Promise<void>;
}
