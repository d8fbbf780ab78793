import type { EpochMs } from '../model/time.ts';

export interface Clock {
  now(): EpochMs;
}
