import {
  EKS_COMPUTE_TYPE_LABEL,
  EKS_NODECLASS_LABEL,
  type Labels,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
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
  /** The reason of the condition; `undefined` if it has none. */
  readonly reason?: string;
  readonly since: EpochMs;
}

/** A Node as one object: a later Node may have the same name. */
export type NodeIdentity = Pick<Node, 'name' | 'uid'>;

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
  /** Another one after each boot; `undefined` until the kubelet reports it. */
  readonly bootId?: string;
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
  hasSome(labels, OWN_LABELS) && !hasSome(labels, AUTO_MODE_LABELS);

/** Set with the registration. It keeps a Node until its pods have moved and its instance is gone. */
export const TERMINATION_FINALIZER = 'karpenter.sh/termination';

/** Users can remove the label, and the finalizer still shows that the Node was registered. */
export const isRegisteredNode = ({ labels, finalizers }: Pick<Node, 'labels' | 'finalizers'>): boolean =>
  labels[REGISTERED_LABEL] === 'true' || finalizers.includes(TERMINATION_FINALIZER);

/** Pods may run on the Node. */
export const isInUse = (node: Pick<Node, 'ready' | 'labels' | 'finalizers'> | undefined): boolean =>
  node !== undefined && (node.ready || isRegisteredNode(node));

/** False for a Node that has lost the labels which tell its owner. */
export const hasAutoscalerLabels = ({ labels }: Pick<Node, 'labels'>): boolean =>
  hasSome(labels, [...OWN_LABELS, ...AUTO_MODE_LABELS]);

const OWN_LABELS = [NODEPOOL_LABEL, NODECLASS_LABEL];
const AUTO_MODE_LABELS = [EKS_COMPUTE_TYPE_LABEL, EKS_NODECLASS_LABEL];

const hasSome = (labels: Labels, keys: readonly string[]): boolean =>
  keys.some((key) => ownValue(labels, key) !== undefined);
