import type { DriftReason } from '../nodes/drift.ts';
import type { ImpairmentCause } from '../nodes/interruption.ts';
import type { DrainBlocker, RemovalReason } from '../nodes/node-claim.ts';
import type { DisruptionReason } from '../nodes/node-pool.ts';
import type { Offering } from '../offerings/instance-type.ts';
import type { StandByCause } from '../ownership.ts';
import type { PodKey } from '../pods/pod.ts';
import type { EpochMs } from '../time.ts';

/** A cluster-wide limit that launches would exceed, by the name of its option. */
export interface LaunchCap {
  readonly name: 'launchesPerMinute' | 'maxHourlyUsd' | 'maxNodes';
  readonly limit: number;
  /** The number of nodes that the limit was derived from; `undefined` for a fixed limit. */
  readonly peak?: number;
}

/** An event that operators want to see. The console, the CLI and logs use the same list. */
export type ClusterEvent = { readonly at: EpochMs } & (
  | {
      readonly kind: 'launch';
      readonly claim: string;
      /** The provider id of the instance. */
      readonly instance?: string;
      readonly pods: readonly PodKey[];
      /** The number of further pods that it has room for; their owner is still creating them. */
      readonly podsToCome?: number;
      /** The nodes that it takes over the pods of; `undefined` if pods caused the launch. */
      readonly replaces?: readonly string[];
      /** The CPU that the pods request, those to come included. */
      readonly cpuMilli: number;
      readonly offering: Offering;
      readonly nextBest?: Offering;
    }
  | {
      readonly kind: 'placed';
      readonly pods: readonly PodKey[];
      readonly targets: readonly string[];
    }
  | { readonly kind: 'unplaced'; readonly pods: readonly PodKey[]; readonly text: string }
  | {
      readonly kind: 'ready';
      readonly claim: string;
      /**
       * Time since the first of its pods was pending; 0 if the claim was made before a pod was
       * pending.
       */
      readonly waitedMs: number;
    }
  | {
      readonly kind: 'interruption';
      readonly claim: string;
      readonly deadline: EpochMs;
      /** The interrupted capacity reservation; `undefined` for spot. */
      readonly reserved?: true;
    }
  | {
      readonly kind: 'rebalance';
      readonly claim: string;
      /** The operator wants such instances replaced. */
      readonly replaced?: true;
    }
  /** The capacity block that the instance runs in. */
  | { readonly kind: 'block-ends'; readonly claim: string; readonly endsAt: EpochMs }
  /** EC2 will stop the instance, reports it as impaired, or it was terminated outside Mortise. */
  | {
      readonly kind: 'impaired';
      readonly claim: string;
      readonly cause: ImpairmentCause | 'scheduled_change' | 'instance_stopped' | 'instance_terminated';
    }
  | {
      readonly kind: 'draining';
      readonly claim: string;
      readonly pods: number;
      readonly deadline?: EpochMs;
    }
  | { readonly kind: 'volumes-attached'; readonly claim: string; readonly volumes: string }
  | {
      readonly kind: 'unavailable';
      readonly offerings: readonly Omit<Offering, 'hourlyUsd'>[];
      readonly until: EpochMs;
      readonly claim: string;
      /** The reason of EC2 for all of them, if it is not missing capacity: `VCPULimitExceeded`. */
      readonly reason?: string;
    }
  | {
      readonly kind: 'remove-empty';
      readonly claims: readonly string[];
      readonly savingHourlyUsd: number;
    }
  | {
      readonly kind: 'remove';
      readonly claims: readonly string[];
      readonly pods: number;
      readonly savingHourlyUsd: number;
      /** When the saving has paid for the move; `undefined` if moves have no price. */
      readonly paybackMs?: number;
      /** Set if a NodePool with the policy Balanced has approved it. */
      readonly balanced?: true;
      /** The NodePool in whose off hours the nodes go. */
      readonly offHoursOf?: string;
    }
  | {
      readonly kind: 'replace';
      readonly claims: readonly string[];
      readonly from: string;
      readonly by: Offering;
      readonly savingHourlyUsd: number;
      /** When the saving has paid for the move; `undefined` if moves have no price. */
      readonly paybackMs?: number;
      readonly balanced?: true;
      readonly offHoursOf?: string;
    }
  /** A node no longer matches its NodePool or NodeClass. */
  | {
      readonly kind: 'drifted';
      readonly claim: string;
      readonly reason: DriftReason;
      readonly text: string;
    }
  | {
      readonly kind: 'replace-drifted';
      readonly claims: readonly string[];
      readonly reason: DriftReason;
      /** Empty if its pods fit on nodes that stay. */
      readonly by: readonly Offering[];
      /** True if the replacements are launched when the nodes are gone. */
      readonly terminatesFirst?: true;
    }
  /** The first node of a changed NodeClass did not become ready. */
  | {
      readonly kind: 'rollout-stopped';
      readonly nodeClass: string;
      readonly claim: string;
      readonly why: string;
    }
  | { readonly kind: 'rollout-resumed'; readonly nodeClass: string; readonly claim: string }
  /** The API server has accepted the eviction of the pod. */
  | {
      readonly kind: 'evicted';
      readonly claim: string;
      readonly node: string;
      readonly pod: PodKey;
      readonly reason: RemovalReason;
    }
  /** The pod was deleted regardless of budgets and do-not-disrupt, because time runs out. */
  | {
      readonly kind: 'pod-deleted';
      readonly claim: string;
      readonly node: string;
      readonly pod: PodKey;
      readonly reason: RemovalReason;
      /** When the node must be empty; `undefined` for at once. */
      readonly deadline?: EpochMs;
      readonly grantedMs: number;
      /** The grace period of the pod's spec. */
      readonly wantedMs: number;
    }
  /** The Deployment of a pod that holds up a drain was restarted, or could not be. */
  | {
      readonly kind: 'owner-restarted';
      readonly claim: string;
      readonly pod: PodKey;
      readonly deployment?: string;
      /** Set if it was not restarted. */
      readonly why?: string;
    }
  /** A node was requested that takes over the pods of others. */
  | {
      readonly kind: 'replacement-requested';
      readonly claim: string;
      readonly replaces: readonly string[];
      readonly reason: DisruptionReason;
    }
  /** An EC2NodeClass is deleted while NodeClaims use it. */
  | {
      readonly kind: 'class-in-use';
      readonly nodeClass: string;
      readonly uid: string;
      readonly claims: readonly string[];
    }
  /** A standalone claim waits for its EC2NodeClass, or has waited for it too long. */
  | {
      readonly kind: 'class-not-ready';
      readonly claim: string;
      readonly nodeClass: string;
      /** A condition reason, for example `NodeClassNotFound`. */
      readonly reason: string;
      readonly text: string;
      readonly isGivenUp?: true;
    }
  /** A consolidation was dropped: it was no longer possible or worthwhile after the wait. */
  | { readonly kind: 'consolidation-dropped'; readonly claims: readonly string[] }
  /** A consolidation was stopped that would have undone an earlier one, although demand is the same. */
  | {
      readonly kind: 'move-back-prevented';
      readonly claim: string;
      readonly types: readonly string[];
    }
  | { readonly kind: 'eviction-refused'; readonly pod: PodKey; readonly pdb: string }
  /** The API server refuses the eviction for a reason other than a budget. */
  | { readonly kind: 'eviction-failed'; readonly pod: PodKey; readonly why: string }
  /** No pod has left a draining node for ten minutes, because these pods cannot be evicted. */
  | {
      readonly kind: 'drain-stuck';
      readonly claim: string;
      readonly text: string;
      readonly blockers: readonly DrainBlocker[];
    }
  | { readonly kind: 'expired'; readonly claim: string }
  /** The node has been unhealthy for too long. */
  | {
      readonly kind: 'repair';
      readonly claim: string;
      readonly condition: string;
      readonly status: 'False' | 'Unknown';
      readonly since: EpochMs;
      /** How long its drain may take; `undefined` in records of earlier releases: no time. */
      readonly drainMs?: number;
    }
  /** EC2 is about to reboot the unhealthy node in place. */
  | { readonly kind: 'reboot-requested'; readonly claim: string; readonly cause: string; readonly drainMs: number }
  /** The node has another boot, and is not Ready yet. */
  | { readonly kind: 'rebooted'; readonly claim: string }
  | { readonly kind: 'reboot-failed'; readonly claim: string; readonly why: string }
  /** The node is due for repair, and an annotation or a budget for Unhealthy keeps it. */
  | {
      readonly kind: 'repair-waits';
      readonly claim: string;
      readonly keptBy: 'annotation' | 'budget';
    }
  /** So many nodes are unhealthy that replacing them would not help. */
  | {
      readonly kind: 'repair-blocked';
      readonly claim: string;
      /** `undefined` means the whole cluster. */
      readonly pool?: string;
      readonly unhealthy: number;
      readonly nodes: number;
    }
  | { readonly kind: 'not-registered'; readonly claim: string; readonly afterMs: number }
  /** The Node is gone from the API server although its instance runs; a kubelet does not notice. */
  | { readonly kind: 'node-missing'; readonly claim: string; readonly since: EpochMs }
  /**
   * The Node registered without the taint that keeps pods away until labels and taints are synced.
   */
  | { readonly kind: 'unguarded'; readonly claim: string }
  /** The Node has less capacity than EC2 advertises. */
  | { readonly kind: 'inconsistent'; readonly claim: string; readonly text: string }
  /** EC2 refused the launch for a reason other than capacity. It will be tried again. */
  | {
      readonly kind: 'launch-refused';
      readonly claim: string;
      readonly reason: string;
      readonly text: string;
    }
  | { readonly kind: 'terminated'; readonly claim: string; readonly livedMs: number }
  /** Nodes that a cluster-wide cap holds back. */
  | {
      readonly kind: 'capped';
      readonly nodes: number;
      readonly cap: LaunchCap;
      /** The first of the pods that the nodes are for. */
      readonly pods: readonly PodKey[];
      readonly podCount: number;
      /** Standalone NodeClaims that are not launched, and those that are not replaced. */
      readonly claims: readonly string[];
    }
  /** Nodes were launched for pods, and kube-scheduler bound none of these pods to them. */
  | {
      readonly kind: 'pods-not-received';
      readonly pool: string;
      readonly claims: readonly string[];
      readonly pods: readonly PodKey[];
      /** The number of such launches in a row. */
      readonly failures: number;
      /** Nothing is launched in the pool for these pods before this time. */
      readonly until: EpochMs;
    }
  /** A plan ended its process by an error, by its time limit, or for want of memory. */
  | {
      readonly kind: 'plan-unfinished';
      readonly startedAt: EpochMs;
      readonly planner: 'provisioning' | 'disruption';
    }
  /** Pods are left out of plans, because the planner ended each time that it planned them alone. */
  | {
      readonly kind: 'pods-set-aside';
      /** The first of the pods. */
      readonly pods: readonly PodKey[];
      readonly podCount: number;
      /** How often they were set aside in a row. */
      readonly failures: number;
      /** They are planned again at this time. */
      readonly until: EpochMs;
    }
  /** A node is no candidate, because the planner ended each time that it planned its removal alone. */
  | {
      readonly kind: 'node-set-aside';
      readonly claim: string;
      /** How often it was set aside in a row. */
      readonly failures: number;
      /** Its removal is planned again at this time. */
      readonly until: EpochMs;
    }
  /** Nothing is planned for a while, because plans did not end whatever they left out. */
  | {
      readonly kind: 'planning-paused';
      readonly planner: 'provisioning' | 'disruption';
      /** All NodePools of the plan, or those that are left out. */
      readonly pools: readonly string[];
      /** True if only these NodePools are left out, and everything else is planned. */
      readonly isPartial?: true;
      /** How often the planner paused in a row. */
      readonly failures: number;
      /** Plans are tried again at this time. */
      readonly until: EpochMs;
    }
  /** The claim's record was lost and made again; the instance keeps running. */
  | { readonly kind: 'adopted'; readonly claim: string }
  /** Instances of this cluster without a record, too many to terminate without confirmation. */
  | { readonly kind: 'unexplained'; readonly count: number; readonly fleet: number }
  /** EKS has not had the cluster for so long that everything of it in the account is ended. */
  | {
      readonly kind: 'cluster-deleted';
      readonly arn: string;
      readonly since: EpochMs;
      readonly instances: number;
    }
  /** Another owner has the cluster: nothing is launched, moved or terminated. */
  | { readonly kind: 'stand-by'; readonly owner: string; readonly why: StandByCause }
  /** Nothing is launched in the zone for the pool, and its nodes there are left alone. */
  | {
      readonly kind: 'zonal-shift-active';
      readonly pool: string;
      readonly zone: string;
      readonly zoneId: string;
      readonly until: EpochMs;
    }
  | {
      readonly kind: 'zonal-shift-cleared';
      readonly pool: string;
      readonly zone: string;
      readonly zoneId: string;
    }
  /** The zonal shifts could not be read. The last known ones stay in force. */
  | { readonly kind: 'shifts-unknown'; readonly why: string }
  /** A manual action, by an operator or the demo. */
  | { readonly kind: 'you'; readonly by: 'you' | 'demo'; readonly text: string }
);
