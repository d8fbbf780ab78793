import type { Labels } from '../labels.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';

/** A condition of a Node that reports a problem. */
export interface NodeTrouble {
  /** `Ready`, `StorageReady`, …: conditions that are True on a healthy node. */
  readonly condition: string;
  readonly status: 'False' | 'Unknown';
  readonly since: EpochMs;
}

/**
 * The part of a Kubernetes Node that decisions read. An instance belongs to EC2; a NodeClaim is our
 * record of both.
 */
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
  /** `undefined` if there are none. */
  readonly troubles?: readonly NodeTrouble[];
  readonly finalizers: readonly string[];
  readonly deletionAt?: EpochMs;
}
