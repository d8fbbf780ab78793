import type { Node } from '../model/nodes/node.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import type { PoolVersion } from '../model/nodes/registration-health.ts';
import type { ShiftedZone } from '../model/offerings/zones.ts';
import type { Devices } from '../model/pods/devices.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { AttachedVolume } from '../model/pods/storage.ts';
import type { PodDisruptionBudget } from '../model/pods/workload.ts';
import type { EpochMs } from '../model/time.ts';
import type { ConsolidationFacts } from './consolidatable.ts';
import type { InterruptedPod } from './termination/interruption-deletions.ts';

/** Observations of a claim in the cluster and in EC2. */
export interface Observed extends ConsolidationFacts {
  /** The claim's NodePool as it is now. */
  readonly poolVersion?: PoolVersion;
  /** Nodes with the provider id of the claim's launch. */
  readonly nodes: readonly Node[];
  /** The claim's Node exists but cannot be read, so that `nodes` lacks it. */
  readonly hasUnreadableNode?: true;
  /** Pods on those nodes; read only for a claim that is being deleted or rebooted. */
  readonly pods: readonly Pod[];
  /** The budgets of those pods; `undefined` if the pods were not read. */
  readonly budgets?: readonly PodDisruptionBudget[];
  /** Pods of these budgets on other nodes; read only if EC2 takes the claim's instance soon. */
  readonly interruptedElsewhere?: readonly InterruptedPod[];
  /** When the first of the pods that the claim was made for ran on these nodes. */
  readonly firstPodRanAt?: EpochMs;
  /**
   * Volumes attached to the Node; `undefined` if they were not read, because the claim does not
   * wait for them.
   */
  readonly volumes?: readonly AttachedVolume[];
  /**
   * `undefined` if they were not read, because the claim waits for none or the cluster does not
   * serve them.
   */
  readonly devices?: Devices;
  /** The claim's object in the cluster; `undefined` if it is unknown. */
  readonly object?: NodeClaimObject | 'missing';
  /** `undefined` if EC2 was not asked. */
  readonly instance?: ObservedInstance;
  /** An event of EC2 said that the instance ended. `instance` is then the second observation. */
  readonly isReportedEnded?: true;
}

export interface ObservedInstance {
  /** Set if the launch was never recorded: the instance that carries the claim's name. */
  readonly providerId?: string;
  readonly state: 'pending' | 'running' | 'stopped' | 'shutting-down' | 'gone';
  /** EC2 does not show the instance, which may be too new. */
  readonly isAbsent?: true;
  /**
   * Partition of the placement group; `undefined` without one, or if EC2 does not report it yet.
   */
  readonly partition?: number;
  /**
   * Set during a zonal shift away from the instance's zone: EC2 was not asked, and the instance is
   * assumed to run.
   */
  readonly shift?: ShiftedZone;
}
