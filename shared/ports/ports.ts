import type { EC2NodeClass } from '../model/node-class.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { NodeSize } from '../model/node-size.ts';
import type { ClusterFacts } from '../model/resolved-node-class.ts';
import type { DecisionSettings } from '../model/settings.ts';
import type { Clock } from './clock.ts';
import type { Cloud } from './cloud.ts';
import type { Cluster } from './cluster.ts';
import type { Commands } from './commands.ts';
import type { Commits } from './commits.ts';
import type { Journal } from './journal.ts';
import type { Launches } from './launches.ts';
import type { LearnedSizes } from './learned-sizes.ts';
import type { Leases } from './leases.ts';
import type { NodeClaims } from './node-claims.ts';
import type { NodeClassObjects } from './node-class-objects.ts';
import type { NodeClassResources } from './node-class-resources.ts';
import type { NodeClasses } from './node-classes.ts';
import type { Nominations } from './nominations.ts';
import type { Ownership } from './ownership.ts';
import type { PoolBackoffs } from './pool-backoffs.ts';
import type { Rollouts } from './rollouts.ts';
import type { SweepBook } from './sweep-book.ts';
import type { UnavailableOfferings } from './unavailable-offerings.ts';
import type { WakeUps } from './wake-ups.ts';
import type { WorkQueue } from './work-queue.ts';
import type { ShiftSource, ZonalShifts } from './zonal-shifts.ts';

/** All that the controllers need from outside. A home fills it once; a controller takes its pick. */
export interface Ports {
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly nodeClaims: NodeClaims;
  readonly leases: Leases;
  readonly launches: Launches;
  readonly commits: Commits;
  readonly sweepBook: SweepBook;
  readonly poolBackoffs: PoolBackoffs;
  /** Of pools whose drifted nodes could not be replaced lately. */
  readonly driftBackoffs: PoolBackoffs;
  readonly rollouts: Rollouts;
  /** What classes stood for when they were last resolved. */
  readonly nodeClasses: Pick<NodeClasses, 'list'>;
  readonly commands: Commands;
  readonly nominations: Nominations;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly learnedSizes: LearnedSizes;
  readonly queue: WorkQueue;
  readonly wakeUps: WakeUps;
  readonly journal: Journal;
  readonly ownership: Ownership;
  /** Absent: zonal shifts change nothing here. */
  readonly zonalShifts?: ZonalShifts;
  /** Absent: somebody else asks for them. */
  readonly shiftSource?: ShiftSource;
  /** What people have set; absent: nothing, and all is as usual. */
  readonly settings?: DecisionSettings;
  /** Absent: this home resolves no classes. */
  readonly classes?: ClassPorts;
}

/** What EC2NodeClasses are resolved with. */
export interface ClassPorts {
  readonly records: NodeClasses;
  readonly objects: NodeClassObjects;
  readonly resources: NodeClassResources;
  facts(): Promise<ClusterFacts>;
  /** Absent: nobody knows any. */
  pools?(): Promise<readonly NodePool[]>;
  /**
   * The sizes that expressions in a class's kubelet must work for; empty: no type is known yet.
   * Absent: the feature gate NodeClassCEL is off, and expressions are refused.
   */
  nodeSizes?(nodeClass: EC2NodeClass): readonly NodeSize[];
}
