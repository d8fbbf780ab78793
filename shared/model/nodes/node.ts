import type { Labels } from '../labels.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';

/** A condition of a Node that is not as it should be. */
export interface NodeTrouble {
  /** `Ready`, `StorageReady`, …: well while True. */
  readonly condition: string;
  readonly status: 'False' | 'Unknown';
  readonly since: EpochMs;
}

/** A Kubernetes Node, reduced. An instance is EC2's, a NodeClaim is our record of both. */
export interface Node {
  readonly name: string;
  readonly uid: string;
  readonly providerId?: string;
  readonly createdAt: EpochMs;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly ready: boolean;
  /** Absent: none. */
  readonly troubles?: readonly NodeTrouble[];
  readonly finalizers: readonly string[];
  readonly deletionAt?: EpochMs;
}
