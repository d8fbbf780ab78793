import type { Labels } from '../labels.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';

export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export type DisruptionReason = 'Underutilized' | 'Empty' | 'Drifted';
export type ConsolidationPolicy = 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';

export interface Budget {
  /** A count (`"5"`) or a percentage (`"10%"`), as written. */
  readonly nodes: string;
  /** Absent: every reason. */
  readonly reasons?: readonly DisruptionReason[];
  /** Cron, five fields or `@daily` and its like, in UTC; comes with `durationMs`. */
  readonly schedule?: string;
  readonly durationMs?: number;
}

export interface NodePool {
  readonly name: string;
  readonly uid: string;
  /** 1 to 100, higher is tried first; 0 when not written. */
  readonly weight: number;
  readonly nodeClass: NodeClassRef;
  readonly requirements: readonly RequirementSpec[];
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** An absent resource is unlimited; `nodes` counts nodes. */
  readonly limits: Resources;
  readonly disruption: {
    readonly consolidateAfterMs: number | 'Never';
    readonly policy: ConsolidationPolicy;
    readonly budgets: readonly Budget[];
  };
  readonly expireAfterMs?: number;
  readonly terminationGracePeriodMs?: number;
  /** Present: a static pool, which pods do not make grow. */
  readonly replicas?: number;
  /** Static hash of the template: a claim with another hash has drifted. */
  readonly hash: string;
  readonly ready: boolean;
  /** Why not ready: `NodeClassNotFound`, … and a sentence. */
  readonly notReady?: { readonly condition: string; readonly message: string };
  readonly deleting: boolean;
}
