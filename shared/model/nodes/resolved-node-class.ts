import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import { type EpochMs, MINUTE_MS } from '../time.ts';

/** A subnet in which nodes may start. */
export interface NodeSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId?: string;
  /** As EC2 counted them when the class was resolved. */
  readonly freeAddresses: number;
}

export interface NodeSecurityGroup {
  readonly id: string;
  readonly name: string;
}

/** An AMI and the instance types that it is for. */
export interface NodeImage {
  readonly id: string;
  readonly name: string;
  readonly deprecated: boolean;
  readonly createdAt: EpochMs;
  readonly requirements: readonly RequirementSpec[];
}

/** Capacity that the account has reserved, whether instances use it or not. */
export interface NodeReservation {
  readonly id: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly ownerId: string;
  /** Open: EC2 places any matching instance in it. */
  readonly matchCriteria: 'open' | 'targeted';
  /** A capacity block has an end, and EC2 terminates its instances 30 minutes earlier. */
  readonly kind: 'default' | 'capacity-block';
  /** The owner may reclaim the capacity at any time. */
  readonly isInterruptible: boolean;
  readonly endsAt?: EpochMs;
  /** As EC2 counted them when the class was resolved. */
  readonly freeInstances: number;
}

/**
 * EC2 terminates the instances of a capacity block 30 min before its end, and a drain takes up to
 * 10 min.
 */
const EXPIRES_BEFORE_END_MS = 40 * MINUTE_MS;

/** True if the block ends soon. Nothing is launched into it any more, and its nodes are drained. */
export const isExpiring = ({ kind, endsAt }: Pick<NodeReservation, 'kind' | 'endsAt'>, now: EpochMs): boolean =>
  kind === 'capacity-block' && endsAt !== undefined && endsAt - now <= EXPIRES_BEFORE_END_MS;

/** A placement group of the NodeClass. */
export interface NodePlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** The number of partitions, counted from 1; `undefined` if it has none. */
  readonly partitions?: number;
}

/** The facts about the cluster that a node needs to join it. */
export interface ClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** PEM, encoded in base64. */
  readonly certificateAuthority: string;
  /** The version of the control plane, for example `1.34`. */
  readonly version: string;
  /** The CIDR of Service addresses; `undefined` if unknown. */
  readonly serviceCidr?: string;
  /** The address of the Service kube-dns; `undefined` if there is none. */
  readonly dnsIp?: string;
}

export type NodeClassConditionType =
  | 'AMIsReady'
  | 'SubnetsReady'
  | 'SecurityGroupsReady'
  | 'InstanceProfileReady'
  | 'CapacityReservationsReady'
  | 'PlacementGroupReady'
  | 'ValidationSucceeded'
  | 'RolloutHealthy'
  | 'NodeAccessReady'
  | 'Ready';

/** One condition of an EC2NodeClass. */
export interface NodeClassCondition {
  readonly type: NodeClassConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The reason as Karpenter names it, for example `SubnetsNotFound`. */
  readonly reason: string;
  readonly message: string;
}

/** The result of a dry-run launch. */
export interface DryRunRecord {
  /** Digest of everything that the result depends on. A dry run is repeated if it changes. */
  readonly of: string;
  readonly at: EpochMs;
  /** Why EC2 refuses launches; `undefined` if it allows them. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/** The AWS resources that the selectors of an EC2NodeClass matched at one moment. */
export interface NodeClassResolution {
  readonly name: string;
  readonly uid: string;
  /** The generation of the object that was resolved. */
  readonly generation: number;
  readonly resolvedAt: EpochMs;
  /** Most free addresses first. */
  readonly subnets: readonly NodeSubnet[];
  readonly securityGroups: readonly NodeSecurityGroup[];
  /** An instance type uses the first image that fits. */
  readonly images: readonly NodeImage[];
  readonly instanceProfile?: string;
  /** By id; `undefined` if the class selects none. */
  readonly reservations?: readonly NodeReservation[];
  /** `undefined` if the class selects none. */
  readonly placementGroup?: NodePlacementGroup;
  readonly cluster: ClusterFacts;
  /** The result of the last dry run. */
  readonly lastDryRun?: DryRunRecord;
  /** When a dry run first failed because EC2 did not know the instance profile; ends with success. */
  readonly profileUnknownSince?: EpochMs;
  readonly conditions: readonly NodeClassCondition[];
}

interface WithConditions {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

export const isReady = ({ conditions }: WithConditions): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
