import type { EpochMs } from '../time.ts';
import type { NodeClassResolution } from './resolved-node-class.ts';

/**
 * The properties of a node that can no longer match its NodePool or NodeClass, as Karpenter names them.
 * Three are our own: `Expired`, if the pool replaces its expired nodes voluntarily,
 * `RebalanceRecommended`, if the operator replaces instances that EC2 recommends to leave, and
 * `NoRoomForDaemonSet`, if the node is too full for a pod of a DaemonSet.
 */
export const DRIFT_REASONS = [
  'NodePoolDrifted',
  'RequirementsDrifted',
  'InstanceTypeNotFound',
  'NodeClassDrift',
  'AMIDrift',
  'SecurityGroupDrift',
  'SubnetDrift',
  'CapacityReservationDrift',
  'PlacementGroupDrift',
  'Expired',
  'RebalanceRecommended',
  'NoRoomForDaemonSet',
] as const;
export type DriftReason = (typeof DRIFT_REASONS)[number];

/** That a claim has drifted: the first test that it failed. */
export interface Drift {
  readonly reason: DriftReason;
  /** For people: what the node has and what it should have. */
  readonly text: string;
  /** When drift was first found. A change of the reason does not reset it. */
  readonly since: EpochMs;
}

/** The state of an EC2NodeClass that its nodes are compared with. */
export interface NodeClassState
  extends Pick<
    NodeClassResolution,
    'name' | 'subnets' | 'securityGroups' | 'images' | 'reservations' | 'placementGroup'
  > {
  /**
   * Hash of the fields that every node of the class is launched with, and of the cluster's
   * certificate.
   */
  readonly hash: string;
  /** Set if the last node of the current version did not become ready and no later one has. */
  readonly stopped?: StoppedRollout;
}

/** A node that did not become ready, and the version that it was launched with. */
export interface StoppedRollout {
  readonly nodeClass: string;
  /** Image and hash of the class. If either changes, the rollout is tried again. */
  readonly version: string;
  readonly claim: string;
  /** For people. */
  readonly why: string;
  readonly at: EpochMs;
}
