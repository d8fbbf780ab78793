import type { RequirementSpec } from './requirements.ts';
import type { EpochMs } from './time.ts';

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
  | 'ValidationSucceeded'
  | 'Ready';

/** One sentence of a class's status. */
export interface NodeClassCondition {
  readonly type: NodeClassConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** As Karpenter calls it: `SubnetsNotFound`. */
  readonly reason: string;
  readonly message: string;
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
  readonly cluster: ClusterFacts;
  readonly conditions: readonly NodeClassCondition[];
}

interface Judged {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

export const isReady = ({ conditions }: Judged): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
