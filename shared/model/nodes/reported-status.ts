import type { Resources } from '../resources.ts';

/** False while drifted nodes of a NodePool are replaced. */
export const ROLLOUT_CONDITION = 'RolloutComplete';

export interface PoolCondition {
  readonly type:
    | 'ValidationSucceeded'
    | 'NodeClassReady'
    | 'NodeRegistrationHealthy'
    | 'LaunchesAccepted'
    | typeof ROLLOUT_CONDITION
    | 'Ready';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The status that we write on a NodePool. */
export interface NodePoolStatus {
  readonly pool: string;
  /** A NodePool that was deleted and created again has another uid. */
  readonly uid: string;
  /** Static hash of the template, for tools that compare nodes with it. */
  readonly hash: string;
  /** The capacity of its nodes, including nodes in flight. */
  readonly resources: Resources;
  readonly nodes: number;
  /** The generation of its EC2NodeClass that the conditions describe. */
  readonly nodeClassGeneration?: number;
  readonly conditions: readonly PoolCondition[];
  /** The nodes of a rollout that are still to be replaced; `undefined` without a rollout. */
  readonly rollout?: { readonly remaining: number; readonly remainingMs?: number };
}

/** The status that we write on a NodeOverlay or CapacityBuffer. */
export interface ExtensionStatus {
  readonly kind: 'NodeOverlay' | 'CapacityBuffer';
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** The generation that the status describes. */
  readonly generation: number;
  /** Further fields of the status besides conditions. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly conditions: readonly ExtensionCondition[];
}

export interface ExtensionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}
