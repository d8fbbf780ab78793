import type { PlacedHook } from '../../shared/kubernetes/setup/place-hooks.ts';
import type { Installation } from '../../shared/ports/cluster-setup.ts';
import type { Fact } from '../checks/finding.ts';

export interface ClusterFacts {
  /** Such as `1.36`. */
  readonly version: string;
  readonly isIpv6?: boolean;
  /** How far this machine's clock is ahead of or behind AWS. */
  readonly clockSkewMs: number;
}

/** A CRD that Mortise needs. */
export interface CrdFacts {
  readonly name: string;
  readonly isInstalled: boolean;
  /** The other tool that manages it; undefined if Mortise may. */
  readonly keeper?: string;
  /** The version that Mortise uses: `v1`. */
  readonly version: string;
  /** False if the API server does not serve it. */
  readonly isUsable: boolean;
}

export interface QueueFacts {
  /** Its logical id in the stack. */
  readonly name: string;
  /** True if it keeps messages that could not be handled. */
  readonly isDeadLetters: boolean;
  /** Undefined if the queue does not exist any more. */
  readonly messages?: number;
}

/** The functions of the stack that repair what Mortise has in the cluster. */
export interface RepairFacts {
  /** Names of functions. */
  readonly setup: string;
  readonly webhookControl: string;
  /** The address that webhooks call, without the path; undefined if the stack has no intake. */
  readonly hookAddress?: string;
  /** The subnets of the functions; empty outside of a VPC. */
  readonly subnets: readonly string[];
  /** The customer key of the stack. */
  readonly key?: string;
}

/** A role that an EC2NodeClass gives to nodes. */
export interface NodeRoleFacts {
  readonly name: string;
  /** Names of the EC2NodeClasses. */
  readonly classes: readonly string[];
  /** Undefined if IAM has no such role. */
  readonly arn?: string;
  /** Such as `EC2_LINUX`; undefined if the role has no access entry. */
  readonly entryType?: string;
  /** Its policies allow `ec2:AssignIpv6Addresses`, or do not; undefined outside of IPv6 clusters. */
  readonly mayAssignIpv6?: boolean;
}

/** An EC2NodeClass or a NodePool with the conditions that are not true, and what Mortise would refuse of it. */
export interface ObjectFacts {
  readonly name: string;
  readonly falseConditions: readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
  }[];
  /** Known before Mortise runs in the cluster, and has written its conditions. */
  readonly refusal?: { readonly what: string; readonly fix: string };
}

/** The nodes and NodeClaims that something is wrong with, and what. */
export interface LiveNodeFacts {
  readonly unhealthy: readonly {
    readonly name: string;
    readonly text: string;
    readonly isStarting: boolean;
  }[];
  readonly blockedDrains: readonly { readonly name: string; readonly text: string }[];
}

/** Everything that the checks are made from. */
export interface Facts {
  readonly cluster: string;
  /** When the facts were read. */
  readonly now: number;
  readonly eks: Fact<ClusterFacts>;
  readonly crds: Fact<readonly CrdFacts[]>;
  /** Status of the stack; undefined if there is none. */
  readonly stack: Fact<{ readonly name: string; readonly status: string } | undefined>;
  /** Undefined without a stack. */
  readonly installation: Fact<Installation | undefined>;
  /** Undefined if the cluster has no webhook configuration of ours. */
  readonly hooks: Fact<readonly PlacedHook[] | undefined>;
  /** Undefined without a stack. */
  readonly repair: Fact<RepairFacts | undefined>;
  readonly queues: Fact<readonly QueueFacts[]>;
  readonly nodeRoles: Fact<readonly NodeRoleFacts[]>;
  readonly nodeClasses: Fact<readonly ObjectFacts[]>;
  readonly nodePools: Fact<readonly ObjectFacts[]>;
  readonly liveNodes: Fact<LiveNodeFacts>;
  /** When the stand-by that `mortise uninstall` left ends; undefined if there is none. */
  readonly uninstalledUntil: Fact<number | undefined>;
  /** When the quiet time after a hand-over ends; undefined if there is none. */
  readonly quietUntil: Fact<number | undefined>;
  /** When Karpenter renewed its lease; undefined if there is none. */
  readonly karpenterRenewedAt: Fact<number | undefined>;
}
