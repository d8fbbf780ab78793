import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import { type EpochMs, MINUTE_MS } from '../time.ts';

/** Where nodes may start. */
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

/** A machine image, and the instance types that it is for. */
export interface NodeImage {
  readonly id: string;
  readonly name: string;
  readonly deprecated: boolean;
  readonly createdAt: EpochMs;
  readonly requirements: readonly RequirementSpec[];
}

/** Capacity that the account has set aside, whether instances use it or not. */
export interface NodeReservation {
  readonly id: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly ownerId: string;
  /** Open: EC2 puts any matching instance into it. */
  readonly matchCriteria: 'open' | 'targeted';
  /** A block of capacity ends, and EC2 takes its instances back half an hour before. */
  readonly kind: 'default' | 'capacity-block';
  /** Its owner may ask for the capacity back at any time. */
  readonly isInterruptible: boolean;
  readonly endsAt?: EpochMs;
  /** As EC2 counted them when the class was resolved. */
  readonly freeInstances: number;
}

/** EC2 takes a block's instances back 30 min before its end, and a node needs 10 to be drained. */
const EXPIRES_BEFORE_END_MS = 40 * MINUTE_MS;

/** Nothing is launched into it any more, and who is in it leaves. */
export const isExpiring = (
  { kind, endsAt }: Pick<NodeReservation, 'kind' | 'endsAt'>,
  now: EpochMs,
): boolean =>
  kind === 'capacity-block' && endsAt !== undefined && endsAt - now <= EXPIRES_BEFORE_END_MS;

/** Where instances stand to each other. */
export interface NodePlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** Numbered from 1; absent: it has none. */
  readonly partitions?: number;
}

/** What a node has to know to join. */
export interface ClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
  /** Of the control plane: `1.34`. */
  readonly version: string;
  /** Where Services get their addresses; absent: nobody could tell. */
  readonly serviceCidr?: string;
  /** Of the Service kube-dns; absent: there is none. */
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
  | 'Ready';

/** One sentence of a class's status. */
export interface NodeClassCondition {
  readonly type: NodeClassConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** As Karpenter calls it: `SubnetsNotFound`. */
  readonly reason: string;
  readonly message: string;
}

/** A launch that EC2 judged and did not make. */
export interface DryRunRecord {
  /** Of all that it depends on: what differs has to be tried anew. */
  readonly of: string;
  readonly at: EpochMs;
  /** Absent: it may be launched. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/** What the selectors of an EC2NodeClass stand for in its account, at one moment. */
export interface NodeClassResolution {
  readonly name: string;
  readonly uid: string;
  /** Of the object that was resolved. */
  readonly generation: number;
  readonly resolvedAt: EpochMs;
  /** Most free addresses first. */
  readonly subnets: readonly NodeSubnet[];
  readonly securityGroups: readonly NodeSecurityGroup[];
  /** The first that fits an instance type is its image. */
  readonly images: readonly NodeImage[];
  readonly instanceProfile?: string;
  /** By id; absent: the class selects none. */
  readonly reservations?: readonly NodeReservation[];
  /** Absent: the class selects none. */
  readonly placementGroup?: NodePlacementGroup;
  readonly cluster: ClusterFacts;
  /** What EC2 said when it was last asked whether such nodes may be launched. */
  readonly trial?: DryRunRecord;
  readonly conditions: readonly NodeClassCondition[];
}

interface WithConditions {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

export const isReady = ({ conditions }: WithConditions): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
