import type { EpochMs } from '../model/time.ts';

/** What became of hooks' calls within one minute. What nobody measured is absent. */
export interface CallMinute {
  /** When the minute began. */
  readonly at: EpochMs;
  /** How long a call took at most, of 99 in 100, as the API server measured it. */
  readonly p99Ms?: number;
  /** Calls that the API server counted, of all validating hooks. */
  readonly counted?: number;
  /** Calls that reached us. */
  readonly received?: number;
}

export interface HookCalls {
  /** In the order of time; a minute of which nothing is known is left out. */
  since(from: EpochMs, until: EpochMs): Promise<readonly CallMinute[]>;
}
