import type { OfferingFilter } from '../../../shared/simulation/cloud/shortages.ts';
import type { CorruptibleRow } from '../runtime/unreadable-rows.ts';

/**
 * A history is plain data: what the cluster consists of, what happens to it, and which calls and
 * messages fail. Its elements are independent of each other, so that a failing history can be shrunk
 * by leaving elements out.
 */
export interface History {
  readonly seed: number;
  /** Faults and incidents happen within this time; the world then gets time to recover. */
  readonly activeMs: number;
  readonly parts: readonly Part[];
  readonly incidents: readonly Incident[];
  readonly faults: readonly Fault[];
}

export interface PoolPart {
  readonly kind: 'pool';
  readonly name: string;
  readonly weight: number;
  readonly isSpot: boolean;
  /** The most nodes that may be disrupted at a time. */
  readonly budget: number;
  readonly consolidateAfterMs: number;
  readonly expireAfterMs?: number;
  readonly terminationGracePeriodMs?: number;
  /** A static pool keeps this number of nodes. */
  readonly replicas?: number;
  readonly hasStartupTaint?: true;
}

export interface WorkloadPart {
  readonly kind: 'workload';
  readonly name: string;
  readonly isStateful: boolean;
  readonly replicas: number;
  readonly cpu: number;
  /** `maxUnavailable` of its PodDisruptionBudget. */
  readonly maxUnavailable?: number;
  readonly spread?: 'zone' | 'host';
  readonly hasVolumes?: true;
  readonly isProtected?: true;
  readonly gracePeriodMs: number;
}

export type ForeignFlavour = 'auto-mode' | 'managed-node-group' | 'self-managed';

export type Part =
  | PoolPart
  | WorkloadPart
  | { readonly kind: 'foreign-node'; readonly flavour: ForeignFlavour }
  /** A node that Karpenter launched, with its NodeClaim, to be adopted. */
  | { readonly kind: 'karpenter-node'; readonly name: string }
  /** Deletes Nodes whose instance is gone. */
  | { readonly kind: 'cloud-controller' }
  | { readonly kind: 'launch-caps'; readonly launchesPerMinute: number; readonly hourlyUsd: number }
  /** The clocks of two invocations differ by up to twice this time. */
  | { readonly kind: 'clock-skew'; readonly maxMs: number }
  /** EC2 does not honour client tokens: each call is a new request. */
  | { readonly kind: 'no-client-tokens' }
  | { readonly kind: 'no-webhooks' }
  /** Moves have no price: each one that saves money happens. */
  | { readonly kind: 'free-moves' }
  /** Planning its pods ends the process of the planner, as long as faults happen. */
  | { readonly kind: 'fatal-workload'; readonly workload: string }
  /** Planning a move of its running pods does so. */
  | { readonly kind: 'fatal-moves'; readonly workload: string }
  /** A budget allows no eviction of the workload's pods, but a restart of their Deployment. */
  | { readonly kind: 'restart-when-blocked'; readonly workload: string };

/** Users, EC2 and other controllers act on the cluster. `pick` chooses an object, modulo their number. */
export type Incident = {
  readonly atMs: number;
} /** A row of the table cannot be read for a while. */ & (
  | {
      readonly kind: 'spoil-row';
      readonly row: CorruptibleRow;
      readonly pick: number;
      readonly forMs: number;
    }
  | { readonly kind: 'scale'; readonly workload: string; readonly replicas: number }
  | { readonly kind: 'delete-node'; readonly pick: number }
  /** The Node goes at once, whatever finalizers it has; its instance runs on. */
  | { readonly kind: 'remove-node'; readonly pick: number }
  | { readonly kind: 'delete-claim'; readonly pick: number }
  | { readonly kind: 'terminate-instance'; readonly pick: number }
  | { readonly kind: 'interrupt'; readonly pick: number; readonly isRebalance: boolean }
  | { readonly kind: 'taint-node'; readonly pick: number; readonly forMs: number }
  /** Another controller adds its finalizer to a Node, and removes it later. */
  | { readonly kind: 'hold-node'; readonly pick: number; readonly forMs: number }
  | { readonly kind: 'delete-pod'; readonly pick: number }
  | { readonly kind: 'shortage'; readonly of: OfferingFilter; readonly forMs: number }
  | {
      readonly kind: 'refuse-launches';
      readonly pool: string;
      readonly forMs: number;
      readonly isUncertain: boolean;
    }
  | { readonly kind: 'spot-prices'; readonly factor: number }
  /** The template of the pool changes. */
  | { readonly kind: 'drift'; readonly pool: string }
  /** Another owner has the cluster for a while. */
  | {
      readonly kind: 'owner';
      readonly owner: 'karpenter' | 'another-stack';
      readonly forMs: number;
    }
);

/** The services that calls go to. */
export type Service = 'api' | 'ec2' | 'table' | 'queue' | 'log';

/** A source of faults within a time window. */
export type Fault = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly probability: number;
} /** The invocation dies before or after a call takes effect. */ & (
  | { readonly kind: 'crash'; readonly moment: 'before' | 'after' }
  /** The call fails; `after` means that it took effect and its answer was lost. */
  | { readonly kind: 'error'; readonly service: Service; readonly moment: 'before' | 'after' }
  | { readonly kind: 'slow'; readonly service: Service; readonly ms: number }
  | { readonly kind: 'lose-message' }
  | { readonly kind: 'repeat-message'; readonly copies: number }
  | { readonly kind: 'delay-message'; readonly ms: number }
  /** EC2 launches fewer instances than requested. */
  | { readonly kind: 'partial-launch' }
  /** New instances are missing from EC2's answers for 25 s. */
  | { readonly kind: 'hidden-instances' }
);

export type FaultKind = Fault['kind'];
