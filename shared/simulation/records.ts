import type { Ports } from '../ports/ports.ts';
import { simCommits } from './commits.ts';
import { simLaunches } from './launches.ts';
import { simLeases } from './leases.ts';
import { simPoolBackoffs } from './pool-backoffs.ts';
import { simSweepBook } from './sweep-book.ts';
import { simWakeUps } from './wake-ups.ts';

/** Records of what is decided and under way, in memory. */
export type SimRecords = Pick<
  Ports,
  'leases' | 'launches' | 'commits' | 'sweepBook' | 'poolBackoffs' | 'wakeUps'
>;

export const simRecords = (): SimRecords => ({
  leases: simLeases(),
  launches: simLaunches(),
  commits: simCommits(),
  sweepBook: simSweepBook(),
  poolBackoffs: simPoolBackoffs(),
  wakeUps: simWakeUps(),
});
