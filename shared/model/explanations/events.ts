import type { DriftReason } from '../nodes/drift.ts';
import type { ImpairmentCause } from '../nodes/interruption.ts';
import type { Offering } from '../offerings/instance-type.ts';
import type { StandByCause } from '../ownership.ts';
import type { PodKey } from '../pods/pod.ts';
import type { EpochMs } from '../time.ts';

/** Something that a person watching the cluster wants to know. One list for page, CLI and logs. */
export type ClusterEvent = { readonly at: EpochMs } & (
  | {
      readonly kind: 'launch';
      readonly claim: string;
      readonly pods: readonly PodKey[];
      /** How many more it has room for, which their owner is still creating. */
      readonly podsToCome?: number;
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
      /** Since the first of its pods waited; 0: it was made before any had to. */
      readonly waitedMs: number;
    }
  | {
      readonly kind: 'interruption';
      readonly claim: string;
      readonly deadline: EpochMs;
      /** Out of a capacity reservation; absent: spot. */
      readonly reserved?: true;
    }
  | { readonly kind: 'rebalance'; readonly claim: string }
  /** The capacity block that it runs in. */
  | { readonly kind: 'block-ends'; readonly claim: string; readonly endsAt: EpochMs }
  /** EC2 will stop its instance some day, finds it broken, or somebody has ended it. */
  | {
      readonly kind: 'impaired';
      readonly claim: string;
      readonly cause:
        | ImpairmentCause
        | 'scheduled_change'
        | 'instance_stopped'
        | 'instance_terminated';
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
    }
  | {
      readonly kind: 'replace';
      readonly claims: readonly string[];
      readonly from: string;
      readonly by: Offering;
      readonly savingHourlyUsd: number;
    }
  /** A node is no longer what its pool or its class says. */
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
      /** Empty: its pods fit on nodes that stay. */
      readonly by: readonly Offering[];
    }
  /** The first node of what a class says now did not get ready. */
  | {
      readonly kind: 'rollout-stopped';
      readonly nodeClass: string;
      readonly claim: string;
      readonly why: string;
    }
  | { readonly kind: 'rollout-resumed'; readonly nodeClass: string; readonly claim: string }
  | { readonly kind: 'eviction-refused'; readonly pod: PodKey; readonly pdb: string }
  /** The API server keeps the pod for another cause than a budget. */
  | { readonly kind: 'eviction-failed'; readonly pod: PodKey; readonly why: string }
  | { readonly kind: 'expired'; readonly claim: string }
  /** It has been unwell for too long. */
  | {
      readonly kind: 'repair';
      readonly claim: string;
      readonly condition: string;
      readonly status: 'False' | 'Unknown';
      readonly since: EpochMs;
    }
  /** So many are unwell that new nodes would be no better. */
  | {
      readonly kind: 'repair-blocked';
      readonly claim: string;
      /** Absent: the whole cluster. */
      readonly pool?: string;
      readonly unhealthy: number;
      readonly nodes: number;
    }
  | { readonly kind: 'not-registered'; readonly claim: string; readonly afterMs: number }
  /** Its Node came without the taint that keeps pods away until labels and taints are synced. */
  | { readonly kind: 'unguarded'; readonly claim: string }
  /** Its Node has less than EC2 promised. */
  | { readonly kind: 'inconsistent'; readonly claim: string; readonly text: string }
  /** EC2 refuses it for another cause than a lack of capacity; it is asked again. */
  | {
      readonly kind: 'launch-refused';
      readonly claim: string;
      readonly reason: string;
      readonly text: string;
    }
  | { readonly kind: 'terminated'; readonly claim: string; readonly livedMs: number }
  /** Somebody else owns the cluster: nothing is launched, moved or ended. */
  /** Nodes that a cap of the whole cluster holds back. */
  | {
      readonly kind: 'capped';
      readonly nodes: number;
      readonly launchesPerMinute: number;
      readonly hourlyUsd: number;
    }
  /** Its record was lost and is made anew: it runs on. */
  | { readonly kind: 'adopted'; readonly claim: string }
  /** Instances of ours that no record accounts for, too many to end them unasked. */
  | { readonly kind: 'unexplained'; readonly count: number; readonly fleet: number }
  | { readonly kind: 'stand-by'; readonly owner: string; readonly why: StandByCause }
  /** Nothing is launched there for the pool, and what is there is left alone. */
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
  /** Nobody could tell which zones are shifted away from: what was told last holds. */
  | { readonly kind: 'shifts-unknown'; readonly why: string }
  /** Something done by hand: by whoever watches, or by the demo. */
  | { readonly kind: 'you'; readonly by: 'you' | 'demo'; readonly text: string }
);
