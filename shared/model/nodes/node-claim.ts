import { CAPACITY_TYPE_LABEL, type Labels, RESERVATION_LABELS } from '../labels.ts';
import type { CapacityType } from '../offerings/instance-type.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';
import type { Drift } from './drift.ts';
import type { ImpairmentCause, InterruptionCause } from './interruption.ts';
import type { DisruptionReason, NodeClassRef } from './node-pool.ts';

/** The instance that a claim became. */
export interface Launch {
  /** `aws:///<zone>/<instance id>`. */
  readonly providerId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly hourlyUsd: number;
  /** The AMI; absent where EC2 did not tell. */
  readonly imageId?: string;
  /** Digest of what else decides how much of the node pods can use; absent: nobody knows. */
  readonly setup?: string;
  /** Where it runs; absent where nobody told. */
  readonly subnetId?: string;
  /** What it was launched with; absent where nobody told. */
  readonly securityGroupIds?: readonly string[];
  /** The role that it has; absent where nobody told. */
  readonly instanceProfile?: string;
  /** Of the EC2NodeClass as it was then, and how that was made. Absent: launched by somebody else. */
  readonly nodeClassHash?: string;
  readonly nodeClassHashVersion?: string;
  readonly at: EpochMs;
  readonly labels: Labels;
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

export type RemovalReason =
  | DisruptionReason
  | 'Interrupted'
  | 'Expired'
  | 'Unhealthy'
  | 'InsufficientCapacity'
  | 'LaunchTimeout'
  | 'RegistrationTimeout'
  | 'InstanceGone'
  | 'Requested';

/** What the next condition of a claim waits for, as Karpenter names it on the NodeClaim. */
export interface ClaimWait {
  readonly condition:
    | 'Launched'
    | 'Registered'
    | 'Initialized'
    | 'VolumesDetached'
    | 'InstanceTerminating';
  /** False is judged: it does not heal by itself. */
  readonly status: 'Unknown' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly since: EpochMs;
}

/** Phases in order; each instant is set once and never taken back. */
export interface ClaimProgress {
  readonly registeredAt?: EpochMs;
  readonly initializedAt?: EpochMs;
  /** The deletion timestamp: from here it only goes away. */
  readonly deletingAt?: EpochMs;
  readonly drainingAt?: EpochMs;
  readonly drainedAt?: EpochMs;
  /** No volume is attached any more, or none that is waited for. */
  readonly volumesDetachedAt?: EpochMs;
  /** EC2 accepted the termination. */
  readonly terminatingAt?: EpochMs;
  /** The instance is gone and the finalizers are free. */
  readonly terminatedAt?: EpochMs;
}

/** The record of a node that this cluster asked for: what was meant and how far it got. */
export interface NodeClaim extends ClaimProgress {
  readonly name: string;
  readonly uid: string;
  /** Empty for a claim made by hand. */
  readonly pool: string;
  /** Absent for a claim made by hand, and for those of an older release. */
  readonly poolUid?: string;
  readonly poolHash: string;
  /** How `poolHash` was made. Absent: in the first of our ways. */
  readonly poolHashVersion?: string;
  readonly nodeClass: NodeClassRef;
  readonly createdAt: EpochMs;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requirements: readonly RequirementSpec[];
  /** What it may be launched as, cheapest first. */
  readonly instanceTypes: readonly string[];
  /** Of the pods it was made for and the DaemonSets they bring along. */
  readonly requests: Resources;
  readonly expireAfterMs?: number;
  readonly terminationGracePeriodMs?: number;
  /** The decision that asked for it. */
  readonly decision: string;
  /** Of its launch record, which equal claims of a decision share. Absent: it has one of its own. */
  readonly launchId?: string;
  readonly launch?: Launch;
  readonly nodeName?: string;
  readonly lastPodEventAt?: EpochMs;
  readonly removal?: RemovalReason;
  /** What EC2 said, where that is why it goes. */
  readonly interruption?: InterruptionCause;
  /** What EC2 finds wrong with its instance and has for too long, gravest first; absent: nothing. */
  readonly impairments?: readonly ImpairmentCause[];
  /** Since when the first of the pods it was made for had been waiting. */
  readonly podsWaitedSince?: EpochMs;
  /** How many pods of each owner, by its uid, it was made for. Absent: of none. */
  readonly expects?: Readonly<Record<string, number>>;
  /** Absent: nothing, or nothing out of the ordinary. */
  readonly waitsFor?: ClaimWait;
  /** What its Node lacks of what EC2 promised, since when; absent: nothing. */
  readonly shortfall?: { readonly text: string; readonly since: EpochMs };
  /** It is no longer what its pool or its class says. */
  readonly drift?: Drift;
  /** Somebody wrote do-not-disrupt on the NodeClaim itself. */
  readonly keptByHand?: true;
  /** What holds its drain up, since when: budgets as `namespace/name`, pods as `Pod namespace/name`. */
  readonly heldUpBy?: Readonly<Record<string, EpochMs>>;
  /** When draining turns into deletion, from terminationGracePeriod or an interruption. */
  readonly drainDeadline?: EpochMs;
}

/** What a reserved instance is reckoned to cost of its price on demand: it is paid for already. */
export const RESERVED_SHARE_OF_PRICE = 1e-7;

/** The claim once its reservation is over: its instance runs on, and has to be paid for. */
export function leaveReservation(claim: NodeClaim): NodeClaim {
  const { launch } = claim;
  if (launch?.capacityType !== 'reserved') return claim;
  const kept = Object.entries(launch.labels).filter(([key]) => !RESERVATION_LABELS.includes(key));
  return {
    ...claim,
    launch: {
      ...launch,
      capacityType: 'on-demand',
      hourlyUsd: launch.hourlyUsd / RESERVED_SHARE_OF_PRICE,
      labels: { ...Object.fromEntries(kept), [CAPACITY_TYPE_LABEL]: 'on-demand' },
    },
  };
}

export type ClaimPhase =
  | 'launching'
  | 'launched'
  | 'registered'
  | 'initialized'
  | 'draining'
  | 'terminating'
  | 'terminated';

export function phaseOf(claim: NodeClaim): ClaimPhase {
  if (claim.terminatedAt !== undefined) return 'terminated';
  if (claim.drainedAt !== undefined || claim.terminatingAt !== undefined) return 'terminating';
  if (claim.deletingAt !== undefined) return 'draining';
  if (claim.initializedAt !== undefined) return 'initialized';
  if (claim.registeredAt !== undefined) return 'registered';
  return claim.launch ? 'launched' : 'launching';
}
