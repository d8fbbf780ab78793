import type { NodeClasses } from '../ports/node-classes.ts';
import type { Ports } from '../ports/ports.ts';
import { simCommits } from './commits.ts';
import { simLaunches } from './launches.ts';
import { simLearnedSizes } from './learned-sizes.ts';
import { simLeases } from './leases.ts';
import { simNodeClasses } from './node-classes.ts';
import { simPoolBackoffs } from './pool-backoffs.ts';
import { simRollouts } from './rollouts.ts';
import { simSweepBook } from './sweep-book.ts';
import { simWakeUps } from './wake-ups.ts';

/** Records of what is decided and under way, in memory. */
export type SimRecords = Pick<
  Ports,
  | 'leases'
  | 'launches'
  | 'commits'
  | 'sweepBook'
  | 'poolBackoffs'
  | 'driftBackoffs'
  | 'rollouts'
  | 'wakeUps'
  | 'learnedSizes'
> & { readonly nodeClasses: NodeClasses };

export const simRecords = (): SimRecords => ({
  leases: simLeases(),
  launches: simLaunches(),
  commits: simCommits(),
  sweepBook: simSweepBook(),
  poolBackoffs: simPoolBackoffs(),
  driftBackoffs: simPoolBackoffs(),
  rollouts: simRollouts(),
  nodeClasses: simNodeClasses(),
  wakeUps: simWakeUps(),
  learnedSizes: simLearnedSizes(),
});
