import { CAPACITY_TYPE_LABEL, type Labels, RESERVATION_LABELS } from '../labels.ts';
import type { CapacityType } from '../offerings/instance-type.ts';
import type { PodKey } from '../pods/pod.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import { type EpochMs, SECOND_MS } from '../time.ts';
import type { Drift } from './drift.ts';
import type { ImpairmentCause, InterruptionCause } from './interruption.ts';
import type { DisruptionReason, NodeClassRef, NodePool } from './node-pool.ts';
import type { Reboot } from './reboot.ts';

/** The instance that a claim was launched as. */
export interface Launch {
  /** `aws:///<zone>/<instance id>`. */
  readonly providerId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** 0 if the price is unknown. */
  readonly hourlyUsd: number;
  /** The AMI; `undefined` if EC2 did not report it. */
  readonly imageId?: string;
  /**
   * Digest of everything besides type and image that decides how much of the node pods can use;
   * `undefined` if unknown.
   */
  readonly setup?: string;
  /** `undefined` if EC2 did not report it. */
  readonly subnetId?: string;
  /** The security groups at launch; `undefined` if EC2 did not report them. */
  readonly securityGroupIds?: readonly string[];
  /** `undefined` if EC2 did not report it. */
  readonly instanceProfile?: string;
  /**
   * Hash of the EC2NodeClass at launch, and the version of that hash. `undefined` if Karpenter
   * launched the instance.
   */
  readonly nodeClassHash?: string;
  readonly nodeClassHashVersion?: string;
  /** When CreateFleet was called; `undefined` for adopted instances. */
  readonly calledAt?: EpochMs;
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

/** The object whose deletion requested the removal of a node. */
export type RequestedBy = 'NodeClaim' | 'Node' | 'NodePool';

/** The condition that a claim waits for, as Karpenter shows it on the NodeClaim. */
export interface ClaimWait {
  readonly condition: 'Launched' | 'Registered' | 'Initialized' | 'VolumesDetached' | 'InstanceTerminating';
  /** False is a final result that does not recover by itself. */
  readonly status: 'Unknown' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly since: EpochMs;
}

/** A pod that cannot leave a draining node. */
export interface DrainBlocker {
  readonly pod: PodKey;
  readonly why: string;
  /** A user's action that lets the pod leave. */
  readonly remedy: string;
}

/** A drain in which some pod cannot be evicted. */
export interface BlockedDrain {
  /** The number of pods that have to leave. */
  readonly pods: number;
  /** Since when no pod has left. */
  readonly since: EpochMs;
  /** Set if no pod has left for ten minutes, and at once if no pod can leave without a change by a user. */
  readonly text?: string;
  readonly blockers?: readonly DrainBlocker[];
  /** When Events reported it last. */
  readonly reportedAt?: EpochMs;
}

/** The phases of a claim, in order. Each time is set once; only a reboot takes `initializedAt` back. */
export interface ClaimProgress {
  readonly registeredAt?: EpochMs;
  readonly initializedAt?: EpochMs;
  /** The deletion timestamp. A claim that has one is never kept. */
  readonly deletingAt?: EpochMs;
  readonly drainingAt?: EpochMs;
  readonly drainedAt?: EpochMs;
  /** All volumes are detached, apart from those that are not waited for. */
  readonly volumesDetachedAt?: EpochMs;
  /** EC2 accepted the termination. */
  readonly terminatingAt?: EpochMs;
  /** The instance is gone and the finalizers are removed. */
  readonly terminatedAt?: EpochMs;
}

/**
 * The stored time of the last pod event is replaced at most this often, because every change of the
 * record is one write to the table and one to the API server.
 *
 * @see Karpenter, pkg/controllers/nodeclaim/podevents: dedupeTimeout
 */
export const MIN_POD_EVENT_INTERVAL_MS = 10 * SECOND_MS;

/**
 * The settings of a NodePool that its claims keep: a drain needs them when the pool is gone. Each check
 * for drift copies them again.
 */
export type PoolSettings = Pick<NodePool, 'expiresVoluntarily' | 'minDrainMs'>;

/** The record of a node that this cluster requested: its desired state and its progress. */
export interface NodeClaim extends ClaimProgress {
  readonly name: string;
  readonly uid: string;
  /** Empty for a standalone claim, which a user created. */
  readonly pool: string;
  /** `undefined` for claims without a NodePool. */
  readonly poolUid?: string;
  readonly poolHash: string;
  /** The version of `poolHash`; `undefined` for the first version. */
  readonly poolHashVersion?: string;
  readonly nodeClass: NodeClassRef;
  readonly createdAt: EpochMs;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requirements: readonly RequirementSpec[];
  /** The instance types that it may be launched as, cheapest first. */
  readonly instanceTypes: readonly string[];
  /** The requests of the pods that it was made for, and of its DaemonSets. */
  readonly requests: Resources;
  readonly expireAfterMs?: number;
  readonly expiresVoluntarily?: true;
  readonly terminationGracePeriodMs?: number;
  readonly minDrainMs?: number;
  /** The id of the decision that created it. */
  readonly decision: string;
  /**
   * The launch record, which equal claims of a decision share; `undefined` if the claim has its
   * own.
   */
  readonly launchId?: string;
  readonly launch?: Launch;
  readonly nodeName?: string;
  /** The instance has the tags of its claim and Node. */
  readonly isTagged?: true;
  /** When a pod last was bound to its Node, or ended there; pods of DaemonSets do not count. */
  readonly lastPodEventAt?: EpochMs;
  /** Set once `consolidateAfter` has passed since the last pod event. */
  readonly consolidatableSince?: EpochMs;
  readonly removal?: RemovalReason;
  /** Set if the removal was requested, except by records of earlier releases. */
  readonly requestedBy?: RequestedBy;
  /** The interruption by EC2 that removes the node. */
  readonly interruption?: InterruptionCause;
  /** Problems that EC2 has reported for too long, most serious first. */
  readonly impairments?: readonly ImpairmentCause[];
  /** When the first of the pods that it was made for became pending. */
  readonly podsWaitedSince?: EpochMs;
  /**
   * The number of pods that it was made for, by the uid of their owner; pods without an owner by
   * their own uid.
   */
  readonly expects?: Readonly<Record<string, number>>;
  /** When the first of these pods ran on its node; `undefined` if that is not known. */
  readonly podRunningAt?: EpochMs;
  /** `undefined` if it waits for nothing unusual. */
  readonly waitsFor?: ClaimWait;
  /** The capacity that its Node lacks, and since when. */
  readonly shortfall?: { readonly text: string; readonly since: EpochMs };
  /** Since when its registered Node is missing although the instance runs. */
  readonly nodeMissingSince?: EpochMs;
  /** Since when EC2 does not show its instance, which is new. */
  readonly instanceAbsentSince?: EpochMs;
  /** When EC2 recommended to leave its spot instance, if such instances are replaced. */
  readonly rebalanceRecommendedAt?: EpochMs;
  /** Set while the claim does not match its NodePool or NodeClass. */
  readonly drift?: Drift;
  /** The NodeClaim itself has the annotation do-not-disrupt. */
  readonly keptByHand?: true;
  /** A user has annotated its NodeClaim with `karpenter.sh/do-not-repair`. */
  readonly repairVetoed?: true;
  /** Its reboots of the last day, the latest last. */
  readonly reboots?: readonly Reboot[];
  /**
   * The blockers of its drain and their start: budgets as `namespace/name`, pods as `Pod
   * namespace/name`.
   */
  readonly heldUpBy?: Readonly<Record<string, EpochMs>>;
  /** When its drain requested restarts, by owner of the pods as `namespace/name`. */
  readonly restarts?: Readonly<Record<string, EpochMs>>;
  /** Why those of them that were refused were. */
  readonly refusedRestarts?: Readonly<Record<string, string>>;
  /** `undefined` while each remaining pod can be evicted. */
  readonly blockedDrain?: BlockedDrain;
  /** When the drain gives way to deletion, because of terminationGracePeriod or an interruption. */
  readonly drainDeadline?: EpochMs;
}

/**
 * The share of the on-demand price at which a reserved instance is counted: almost nothing, because
 * it is paid for already.
 */
export const RESERVED_SHARE_OF_PRICE = 1e-7;

/**
 * Returns the claim after its reservation has ended: the instance keeps running at the on-demand
 * price.
 */
export function leaveReservation(claim: NodeClaim): NodeClaim {
  const { launch } = claim;
  if (launch?.capacityType !== 'reserved') return claim;
  return {
    ...claim,
    labels: withoutReservation(claim.labels),
    launch: {
      ...launch,
      capacityType: 'on-demand',
      hourlyUsd: launch.hourlyUsd / RESERVED_SHARE_OF_PRICE,
      labels: withoutReservation(launch.labels),
    },
  };
}

const withoutReservation = (labels: Labels): Labels => ({
  ...Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVATION_LABELS.includes(key))),
  [CAPACITY_TYPE_LABEL]: 'on-demand',
});

export const pickPoolSettings = ({ expiresVoluntarily, minDrainMs }: PoolSettings): PoolSettings => ({
  ...(expiresVoluntarily && { expiresVoluntarily }),
  ...(minDrainMs !== undefined && { minDrainMs }),
});

/** Returns the same claim if it has the settings already. */
export function withPoolSettings(claim: NodeClaim, pool: PoolSettings): NodeClaim {
  const { expiresVoluntarily, minDrainMs, ...others } = claim;
  const isCurrent = expiresVoluntarily === pool.expiresVoluntarily && minDrainMs === pool.minDrainMs;
  return isCurrent ? claim : { ...others, ...pickPoolSettings(pool) };
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
