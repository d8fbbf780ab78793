import type { EpochMs } from '../model/time.ts';

/** Nodes and claims that pods were planned onto: disruption leaves them alone for a while. */
export interface Nominations {
  list(now: EpochMs): Promise<Readonly<Record<string, EpochMs>>>;
  /** A later `until` wins. */
  nominate(names: readonly string[], until: EpochMs): Promise<void>;
}
