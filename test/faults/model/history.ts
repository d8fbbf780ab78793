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
  /** Its limit is its number of replicas, so that a replacement cannot be launched first. */
  readonly isFull?: true;
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
  /** One process of `mortise controller` watches the cluster; by default functions get messages. */
  | { readonly kind: 'controller' }
  /** Moves have no price: each one that saves money happens. */
  | { readonly kind: 'free-moves' }
  /** Unhealthy nodes are repaired. */
  | { readonly kind: 'node-repair'; readonly reboots: boolean; readonly terminatesFirst: boolean }
  /** Drifted nodes go before their replacements if these cannot be launched first. */
  | { readonly kind: 'terminate-first' }
  /** Planning its pods ends the process of the planner, as long as faults happen. */
  | { readonly kind: 'fatal-workload'; readonly workload: string }
  /** Planning a move of its running pods does so. */
  | { readonly kind: 'fatal-moves'; readonly workload: string }
  /** A budget allows no eviction of the workload's pods, but a restart of their Deployment. */
  | { readonly kind: 'restart-when-blocked'; readonly workload: string };

/** The change of a NodePool's template or limits. */
export type PoolEdit = 'zone' | 'instance-type' | 'limits';

/** The fault that the node monitoring agent reports: a reboot ends only the first. */
export type NodeFault = 'gpu-reset' | 'gpu-broken' | 'storage';

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
  /** The kubelet stops reporting and reports again, every 20 s. */
  | { readonly kind: 'flap-node'; readonly pick: number; readonly forMs: number }
  /** A node has a fault until it passes by itself, or the node is rebooted. */
  | { readonly kind: 'unhealthy-node'; readonly pick: number; readonly fault: NodeFault; readonly forMs: number }
  /** The kubelet registers again, under another name. */
  | { readonly kind: 'second-node'; readonly pick: number }
  /** The NodeClaim object goes at once, whatever finalizers it has. */
  | { readonly kind: 'strip-claim'; readonly pick: number }
  /** A Node loses all labels of Karpenter. */
  | { readonly kind: 'strip-labels'; readonly pick: number }
  /** A NodePool is deleted and, after a while, created again. */
  | { readonly kind: 'delete-pool'; readonly pool: string; readonly forMs: number }
  | {
      readonly kind: 'edit-pool';
      readonly pool: string;
      readonly edit: PoolEdit;
      readonly forMs: number;
    }
  /** The EC2NodeClass of all pools is not ready, or deleted. */
  | { readonly kind: 'break-class'; readonly isDeleted: boolean; readonly forMs: number }
  /** A webhook denies evictions. */
  | { readonly kind: 'deny-evictions'; readonly workload: string; readonly forMs: number }
  | { readonly kind: 'interrupt-all' }
  /** All rows of the table become what they were; without `byMs` the table is empty. */
  | { readonly kind: 'set-table-back'; readonly byMs?: number }
);

export type Action = Incident extends infer One ? (One extends Incident ? Omit<One, 'atMs'> : never) : never;

/** The services that calls go to. */
export type Service = 'api' | 'ec2' | 'table' | 'queue' | 'log';

/** The services whose calls fail. */
export const SERVICES: readonly [Service, ...Service[]] = ['api', 'ec2', 'table', 'queue'];

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
  /** New instances are missing from EC2's answers. */
  | { readonly kind: 'hidden-instances'; readonly ms: number }
  /** An observation shows the cluster as it was. */
  | { readonly kind: 'stale-view'; readonly ms: number }
  /** An eventually consistent list shows the rows as they were. */
  | { readonly kind: 'stale-list'; readonly ms: number }
  /** A request whose invocation has died, or saw it fail, takes effect within this time. */
  | { readonly kind: 'late-effect'; readonly service: Service; readonly ms: number }
  /** SQS delivers a batch of a FIFO queue again while it is being worked on. */
  | { readonly kind: 'overlapping-run' }
  /** The watch of one kind of objects sends nothing, and looks like that of a quiet cluster. */
  | { readonly kind: 'silent-watch'; readonly ms: number }
  /** The watch of one kind ends, and cannot be opened again for a while. */
  | { readonly kind: 'cut-watch'; readonly ms: number }
  /** The watch of one kind sends each event late; other kinds overtake it. */
  | { readonly kind: 'late-watch'; readonly ms: number }
);

export type FaultKind = Fault['kind'];

export type FaultSource = Fault extends infer One ? (One extends Fault ? Omit<One, 'fromMs' | 'toMs'> : never) : never;

/** The functions that run the controllers, or the one process that does. */
export const RUNTIMES = ['functions', 'controller'] as const;
export type Runtime = (typeof RUNTIMES)[number];

export const listNames = (parts: readonly Part[], kind: 'workload' | 'pool'): readonly string[] =>
  parts.flatMap((part) => (part.kind === kind ? [part.name] : []));
