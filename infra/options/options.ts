import type { DecisionOptions } from './decision-options.ts';
import type { TimingOptions } from './timing-options.ts';

/** What may be said about a deployment, as `cdk deploy -c <name>=<value>` or in `cdk.json`. */
export interface MortiseOptions {
  /** The EKS cluster to serve, by name. One stack serves one cluster. */
  readonly cluster: string;
  /**
   * Where the cluster is: the options `account` and `region`. Both or neither; without them the stack
   * goes where the CLI points.
   */
  readonly target?: { readonly account: string; readonly region: string };
  /**
   * The roles that nodes may be given, by name, separated by commas: those that exist already and have
   * their access entry. No other role can be passed to an instance, whatever an EC2NodeClass says.
   * Default: the stack makes one, and says its name in the output `NodeRoleName`.
   */
  readonly nodeRoles: readonly string[];
  /**
   * Where Services get their addresses, like `10.100.0.0/16`; AL2023 nodes are told. Default: EKS is
   * asked when the first EC2NodeClass is resolved.
   */
  readonly serviceCidr?: string;
  /**
   * Where the API server is: the options `endpoint`, a URL, and `certificateAuthority`, PEM in base64.
   * Both or neither; without them EKS is asked when deploying.
   */
  readonly apiServer?: ApiServerFacts;
  /**
   * The VPC that reaches an API server which is closed to the Internet: the options `functionSubnets`
   * and `functionSecurityGroups`, ids separated by commas. Both or neither. Every function that talks
   * to the cluster runs there; from there EC2, SQS, SSM, IAM, EKS, Lambda, Secrets Manager and
   * CloudWatch must be in reach, by a NAT gateway or by interface endpoints, and DynamoDB and S3 by
   * gateway endpoints.
   */
  readonly network?: FunctionNetwork;
  /**
   * A key of KMS, by ARN, for the table, the queues, the bucket and the logs. Its policy must let
   * `events.amazonaws.com` and `logs.<region>.amazonaws.com` use it. Default: keys that AWS owns.
   */
  readonly kmsKeyArn?: string;
  /**
   * What tells of pods that wait: `hook` (the API server calls a function), `poll` (a function looks
   * every five seconds), `controller` (a process of yours runs `mortise controller`), or `auto`, which
   * is decided when deploying, by how the cluster is connected; the output `EventSource` says how, and
   * `EventSourceWhy` why. Default: `auto`.
   */
  readonly eventSource: EventSourceOption;
  /**
   * Where the API server reaches the intake, if not at the function's own address: the option
   * `hookAddress`, an https URL such as that of a private API, and `hookCertificateAuthority`, PEM in
   * base64, of who vouches for that host. Default for the latter: Amazon's public roots.
   */
  readonly hook?: { readonly address: string; readonly certificateAuthority?: string };
  /**
   * An interface endpoint of the service `execute-api` in the cluster's VPC, by id: the intake gets a
   * private API in place of a public address, for clusters whose control plane calls out through their
   * own VPC (egress mode CUSTOMER_ROUTED). Its security group must let the cluster's in on port 443.
   */
  readonly hookVpcEndpoint?: string;
  /**
   * A DynamoDB table of this account and region that clusters share: what EC2 had none of, and what
   * nodes turned out to have, one learns from another. Its keys are `pk` and `sk`, both text, its TTL
   * attribute is `expiresAt`; the state table of another cluster's stack will do. Default: each
   * cluster learns by itself.
   */
  readonly learnedTable?: string;
  /** How long decisions and their snapshots are kept, in days. Default: 30. */
  readonly snapshotRetentionDays: number;
  /** How long the functions' logs are kept, in days. Default: 30. */
  readonly logRetentionDays: LogRetentionDays;
  /** The SNS topic that alarms are sent to. Default: they show in CloudWatch and nowhere else. */
  readonly alarmTopicArn?: string;
  /**
   * How many hooks may be answered at once; 0 switches them off. Default: as many as the account
   * has room for. A new account has too little room to set anything aside.
   */
  readonly intakeConcurrency?: number;
  /**
   * `hintBucketMs` (250), `podMarginMs` (250) and `objectMarginMs` (1000): when what a hook told of is
   * looked for. `batchIdleMs` (1000), `batchMaxMs` (10000): how long pods are gathered whose owners
   * are not known. `anticipate` (true): whether pods that owners are still creating have room made.
   * `launchesPerMinute` (1000), `maxHourlyUsd` (10000): what the whole cluster may not exceed, whatever
   * its NodePools allow.
   */
  readonly timing: TimingOptions;
  /**
   * `featureGates` and `awsFeatureGates`, like `NodeOverlay=true,NodeRepair=true`; `preferencePolicy`
   * (Respect), `minValuesPolicy` (Strict), `ignoreDraRequests` (true), `isolatedVpc` (false),
   * `disableDryRun` (false), `enableZonalShift` (false), `vmMemoryOverheadPercent` (0.075),
   * `reservedEnis` (0), `perNodeHourlyUsd` (0.01), `schedulerConfig` (none): what is decided with. See
   * docs/reference/settings.md.
   */
  readonly decisions: DecisionOptions;
}

export const EVENT_SOURCES = ['auto', 'hook', 'poll', 'controller'] as const;
export type EventSourceOption = (typeof EVENT_SOURCES)[number];

export interface ApiServerFacts {
  readonly endpoint: string;
  /** PEM, in base64. */
  readonly certificateAuthority: string;
}

export interface FunctionNetwork {
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** CloudWatch Logs keeps logs for these numbers of days and no others (up to a year). */
export const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365] as const;
export type LogRetentionDays = (typeof LOG_RETENTION_DAYS)[number];

/** Context values: text from the command line, any JSON from `cdk.json`. */
export type Context = (name: string) => unknown;
