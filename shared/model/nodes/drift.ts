import type { EpochMs } from '../time.ts';
import type { NodeClassResolution } from './resolved-node-class.ts';

/** What of a node is no longer as its pool and its class say; the names are Karpenter's. */
export type DriftReason =
  | 'NodePoolDrifted'
  | 'RequirementsDrifted'
  | 'InstanceTypeNotFound'
  | 'NodeClassDrift'
  | 'AMIDrift'
  | 'SecurityGroupDrift'
  | 'SubnetDrift'
  | 'CapacityReservationDrift'
  | 'PlacementGroupDrift';

/** That a claim has drifted: the first test that it failed. */
export interface Drift {
  readonly reason: DriftReason;
  /** For people: what it is and what it should be. */
  readonly text: string;
  /** When it was first found; another reason does not set it anew. */
  readonly since: EpochMs;
}

/** What an EC2NodeClass stands for, as far as nodes of it are held against it. */
export interface NodeClassState
  extends Pick<
    NodeClassResolution,
    'name' | 'subnets' | 'securityGroups' | 'images' | 'reservations' | 'placementGroup'
  > {
  /** Of the fields that every node of it is made by, and of the cluster's certificate. */
  readonly hash: string;
  /** The last node that was launched from what it says now did not become ready, and none has since. */
  readonly stopped?: StoppedRollout;
}

/** A node that did not become ready, and what it was made from. */
export interface StoppedRollout {
  readonly nodeClass: string;
  /** Image and hash of the class: with another of either there is something new to try. */
  readonly version: string;
  readonly claim: string;
  /** For people. */
  readonly why: string;
  readonly at: EpochMs;
}
