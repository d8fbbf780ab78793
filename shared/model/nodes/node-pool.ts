import type { Labels } from '../labels.ts';
import type { OnDemandShare } from '../offerings/on-demand-share.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { NotReady } from './node-class.ts';
import type { PoolHours } from './pool-hours.ts';

export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export type DisruptionReason = 'Underutilized' | 'Empty' | 'Drifted' | 'Unhealthy';
export type ConsolidationPolicy = 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';

export interface Budget {
  /** A count (`"5"`) or a percentage (`"10%"`), as written. */
  readonly nodes: string;
  /** `undefined` for every reason. */
  readonly reasons?: readonly DisruptionReason[];
  /**
   * Cron schedule, five fields or a macro such as `@daily`, in UTC or in the time zone of a prefix
   * such as `CRON_TZ=Europe/Berlin`. It always comes with `durationMs`.
   */
  readonly schedule?: string;
  readonly durationMs?: number;
}

export interface NodePool {
  readonly name: string;
  readonly uid: string;
  /** The generations of its spec and of its EC2NodeClass; `undefined` outside of an API server. */
  readonly generation?: number;
  readonly nodeClassGeneration?: number;
  /** 1 to 100, highest first; 0 if not set. */
  readonly weight: number;
  readonly nodeClass: NodeClassRef;
  readonly requirements: readonly RequirementSpec[];
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** A resource that is absent is unlimited; `nodes` limits the number of nodes. */
  readonly limits: Resources;
  /** The hours outside of which the pool is smaller; `undefined` if it always works. */
  readonly hours?: PoolHours;
  readonly disruption: {
    readonly consolidateAfterMs: number | 'Never';
    readonly policy: ConsolidationPolicy;
    readonly budgets: readonly Budget[];
  };
  /**
   * Cost of each of its nodes besides the instance, in USD per hour; `undefined`: the setting
   * decides.
   */
  readonly perNodeHourlyUsd?: number;
  /** The part of its vCPUs that is on demand; `undefined`: the cheapest capacity type is launched. */
  readonly onDemandShare?: OnDemandShare;
  readonly expireAfterMs?: number;
  /** Set if expired nodes are replaced like drifted ones: within budgets, pods first. */
  readonly expiresVoluntarily?: true;
  readonly terminationGracePeriodMs?: number;
  /** How long a drain takes at least, so that load balancers have removed the node. */
  readonly minDrainMs?: number;
  /** Set for a static pool, which keeps this number of nodes and does not grow for pods. */
  readonly replicas?: number;
  /** Static hash of the template. A claim with another hash has drifted. */
  readonly hash: string;
  readonly ready: boolean;
  /** Why the pool is not ready: a condition reason such as `NodeClassNotFound`, and a sentence. */
  readonly notReady?: NotReady;
  readonly deleting: boolean;
  /** Set while the condition `RolloutComplete` is False. */
  readonly isRollingOut?: true;
}
