import type { Resources } from '../resources.ts';

export interface PoolCondition {
  readonly type: 'ValidationSucceeded' | 'NodeClassReady' | 'NodeRegistrationHealthy' | 'Ready';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** What a NodePool's owner wants to see of it. */
export interface NodePoolStatus {
  readonly pool: string;
  /** A pool that was made anew under the name is another one. */
  readonly uid: string;
  /** Static hash of the template, for whoever compares its nodes with it. */
  readonly hash: string;
  /** Capacity of its nodes, those under way included. */
  readonly resources: Resources;
  readonly nodes: number;
  readonly conditions: readonly PoolCondition[];
}

/** What has become of a NodeOverlay or a CapacityBuffer. */
export interface ExtensionStatus {
  readonly kind: 'NodeOverlay' | 'CapacityBuffer';
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** Of what was judged. */
  readonly generation: number;
  /** Fields of the status beside its conditions. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly conditions: readonly ExtensionCondition[];
}

export interface ExtensionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}
