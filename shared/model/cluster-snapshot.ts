import type { Labels } from './labels.ts';
import type { NodeClassState } from './nodes/drift.ts';
import type { Node } from './nodes/node.ts';
import type { NodeClaim } from './nodes/node-claim.ts';
import type { NodePool } from './nodes/node-pool.ts';
import type { Commitment } from './offerings/commitment.ts';
import type { InstanceType, Offering, UnavailableOffering } from './offerings/instance-type.ts';
import type { NodeOverlay } from './offerings/node-overlay.ts';
import type { CapacityBuffer } from './pods/capacity-buffer.ts';
import type { Devices } from './pods/devices.ts';
import type { Pod } from './pods/pod.ts';
import type { Storage } from './pods/storage.ts';
import type { DaemonSet, OwnerRestart, PodDisruptionBudget, PodOwner, QuotaRoom, Service } from './pods/workload.ts';
import type { DecisionSettings } from './settings.ts';
import type { EpochMs } from './time.ts';

/** An object that exists but that this version cannot read. */
export interface UnreadableObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The field and what is wrong with it. */
  readonly why: string;
  /** Decisions that are not made while this object is missing from the lists. */
  readonly forbids: readonly ('launch' | 'remove')[];
}

/**
 * Everything that a decision may read. It is plain data, so it can be stored and the decision
 * repeated.
 */
export interface ClusterSnapshot {
  readonly takenAt: EpochMs;
  /** `undefined` for the defaults. */
  readonly settings?: DecisionSettings;
  /**
   * The epoch of the last commit that the snapshot contains. A decision on it takes effect only if
   * there is no later commit.
   */
  readonly epoch?: number;
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Claims that are not terminated. */
  readonly claims: readonly NodeClaim[];
  readonly pools: readonly NodePool[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Owners of recent pods, as far as they could be read. */
  readonly owners?: readonly PodOwner[];
  /**
   * Deployments that a drain would restart, because a budget blocks their pods for good; `undefined`
   * if there are none or they were not read.
   */
  readonly restarts?: readonly OwnerRestart[];
  /** ResourceQuotas of namespaces in which such an owner still has pods to create. */
  readonly quotas?: readonly QuotaRoom[];
  /** `undefined` if Services were not listed because no pods are spread by default. */
  readonly services?: readonly Service[];
  /** `undefined` if volumes were not read. They then count as reachable from every node. */
  readonly storage?: Storage;
  /** `undefined` if no pod claims devices, or the cluster does not serve them. */
  readonly devices?: Devices;
  /** The labels of every namespace, by name. */
  readonly namespaces: Readonly<Record<string, Labels>>;
  /**
   * Instance types by NodePool: those that its NodeClass can run. Pools of one NodeClass share the
   * list object.
   */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly offerings: readonly Offering[];
  /**
   * True if no price of the region is known: every `hourlyUsd` is then a weight of the type's vCPUs and
   * memory. Weights compare types; they do not prove that a replacement is cheaper.
   */
  readonly unpriced?: true;
  /** Reserved instances of the account; `undefined` if they were not read. Settings may name more. */
  readonly commitments?: readonly Commitment[];
  /**
   * By NodePool: the zones in which its NodeClass has subnets. `undefined` allows every zone that
   * has offerings.
   */
  readonly zones?: Readonly<Record<string, readonly string[]>>;
  /** By NodePool: the zones in which all subnets of its NodeClass are out of addresses. */
  readonly fullZones?: Readonly<Record<string, readonly string[]>>;
  readonly unavailable: readonly UnavailableOffering[];
  /** `undefined` if NodeOverlays were not listed or their feature gate is off. */
  readonly overlays?: readonly NodeOverlay[];
  /** `undefined` if CapacityBuffers were not listed or their feature gate is off. */
  readonly buffers?: readonly CapacityBuffer[];
  /** The state that nodes are compared with to find drift; `undefined` if it was not read. */
  readonly nodeClasses?: readonly NodeClassState[];
  /** By NodePool: until when no drifted node is replaced, because the last replacement failed. */
  readonly driftRests?: Readonly<Record<string, EpochMs>>;
  /** Nodes and claims that are kept for planned pods, by name, and until when. */
  readonly nominations: Readonly<Record<string, EpochMs>>;
  /** Objects that are missing from the lists above; `undefined` if every object could be read. */
  readonly unreadable?: readonly UnreadableObject[];
}

/** Finds the first unreadable object that forbids such a decision. */
export const findMissingObject = (
  decision: 'launch' | 'remove',
  { unreadable = [] }: ClusterSnapshot,
): UnreadableObject | undefined => unreadable.find(({ forbids }) => forbids.includes(decision));
