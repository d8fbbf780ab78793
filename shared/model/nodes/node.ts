import {
  EKS_COMPUTE_TYPE_LABEL,
  EKS_NODECLASS_LABEL,
  type Labels,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
} from '../labels.ts';
import { ownValue } from '../own-value.ts';
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

/**
 * True for nodes of an EC2NodeClass, whether Mortise or Karpenter launched them. EKS Auto Mode
 * gives its nodes the same NodePool label and the same finalizer; they are not ours.
 */
export const isManagedNode = ({ labels }: Pick<Node, 'labels'>): boolean =>
  [NODEPOOL_LABEL, NODECLASS_LABEL].some((key) => ownValue(labels, key) !== undefined) &&
  [EKS_COMPUTE_TYPE_LABEL, EKS_NODECLASS_LABEL].every((key) => ownValue(labels, key) === undefined);
