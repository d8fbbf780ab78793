import type { Clock } from './clock.ts';
import type { Cloud } from './cloud.ts';
import type { Cluster } from './cluster.ts';
import type { Commands } from './commands.ts';
import type { Commits } from './commits.ts';
import type { Journal } from './journal.ts';
import type { Leases } from './leases.ts';
import type { NodeClaims } from './node-claims.ts';
import type { Nominations } from './nominations.ts';
import type { Ownership } from './ownership.ts';
import type { UnavailableOfferings } from './unavailable-offerings.ts';
import type { WorkQueue } from './work-queue.ts';

/** All that the controllers need from outside. A home fills it once; a controller takes its pick. */
export interface Ports {
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly nodeClaims: NodeClaims;
  readonly leases: Leases;
  readonly commits: Commits;
  readonly commands: Commands;
  readonly nominations: Nominations;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly queue: WorkQueue;
  readonly journal: Journal;
  readonly ownership: Ownership;
}
