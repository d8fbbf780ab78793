import type { MonitoringLevel } from '../../shared/model/metrics/alarm-metrics.ts';
import type { PublishedKind } from '../../shared/model/published-events/kinds.ts';
import type { Size } from '../sizes.ts';
import type { DecisionOptions } from './decision-options.ts';
import type { TimingOptions } from './timing-options.ts';

/** The options of a deployment, as `cdk deploy -c <name>=<value>` or in `cdk.json`. */
export interface MortiseOptions {
  /** Name of the EKS cluster. One stack serves one cluster. */
  readonly cluster: string;
  /**
   * Account and region of the cluster: the options `account` and `region`, both or neither.
   * Default: those of the CDK CLI.
   */
  readonly target?: { readonly account: string; readonly region: string };
  /**
   * Names of the roles that may be passed to nodes, with their path if they have one, or their ARNs,
   * separated by commas; they must exist. A role
   * without an access entry gets one when an EC2NodeClass uses it. No other role can be passed to an instance, whatever an EC2NodeClass says.
   * Default: the stack creates one and returns its name in the output `NodeRoleName`.
   */
  readonly nodeRoles: readonly string[];
  /**
   * Further roles, for EC2NodeClasses of Windows: a role cannot have access entries for
   * both Linux and Windows nodes. They must exist. Default: none.
   */
  readonly windowsNodeRoles: readonly string[];
  /**
   * ARN of the IAM policy that limits every role of the stack, the node role included. Default: no
   * boundary.
   */
  readonly permissionsBoundary?: string;
  /**
   * Path of every role of the stack, such as `/mortise/`. A later change replaces the roles, which
   * IAM refuses for the named node role: choose it at the first deployment. Default: `/`.
   */
  readonly rolePath?: string;
  /**
   * The cluster's Service CIDR, such as `10.100.0.0/16`, which AL2023 nodes need. Default: read
   * from EKS when the first EC2NodeClass is resolved.
   */
  readonly serviceCidr?: string;
  /**
   * The API server: the options `endpoint`, a URL, and `certificateAuthority`, PEM in base64. Both
   * or neither. Default: read from EKS at deployment.
   */
  readonly apiServer?: ApiServerFacts;
  /**
   * The VPC for the functions, for a cluster without a public endpoint: the options
   * `functionSubnets` and `functionSecurityGroups`, ids separated by commas, both or neither. Every
   * function that talks to the cluster runs there. It needs EC2, SQS, SSM, IAM, EKS, Lambda,
   * Secrets Manager and CloudWatch through a NAT gateway or interface endpoints, and DynamoDB and
   * S3 through gateway endpoints.
   */
  readonly network?: FunctionNetwork;
  /**
   * ARN of a KMS key for the table, the queues, the bucket and the logs. Its policy must allow
   * `events.amazonaws.com` and `logs.<region>.amazonaws.com`. Default: keys that AWS owns.
   */
  readonly kmsKeyArn?: string;
  /**
   * ARNs of the KMS keys with which volumes of nodes are encrypted, separated by commas: those of
   * `kmsKeyID` in EC2NodeClasses, and the account's default key of EBS if it is your own. Their policies
   * must allow it: see docs/guides/encrypted-volumes.md. Default: none.
   */
  readonly volumeKeys: readonly string[];
  /**
   * SSM parameters of your own that EC2NodeClasses may name as `ssmParameter`: names, or ARNs of
   * parameters that another account shares, separated by commas, with `*` for any end. Default: none;
   * public parameters may be named in any case.
   */
  readonly imageParameters: readonly string[];
  /**
   * The source of events: `hook` (the API server calls a function), `poll` (a function looks every
   * five seconds), `controller` (you run `mortise controller`), or `auto`, which decides at
   * deployment by the cluster's network; the outputs `EventSource` and `EventSourceWhy` report the
   * decision. Default: `auto`, or `poll` in regions without function URLs.
   */
  readonly eventSource: EventSourceOption;
  /** Why it is not the one of the options. */
  readonly eventSourceReason?: string;
  /**
   * The address at which the API server reaches the intake, if not its function URL: the option
   * `hookAddress`, an https URL such as that of a private API, and `hookCertificateAuthority`, PEM
   * in base64, for its certificate. Default for the latter: Amazon's public roots.
   */
  readonly hook?: { readonly address: string; readonly certificateAuthority?: string };
  /**
   * Id of an interface endpoint of `execute-api` in the cluster's VPC: the intake gets a private
   * API instead of a public address, for clusters whose control plane calls out through their own
   * VPC (egress mode CUSTOMER_ROUTED). Its security group must allow the cluster's on port 443.
   */
  readonly hookVpcEndpoint?: string;
  /**
   * Name of a DynamoDB table in the same account and region in which several clusters share what
   * they learned about EC2. Every cluster that writes there is trusted: see docs/threat-model.md.
   * Default: the stack's own table.
   */
  readonly learnedTable?: string;
  /** ARN of the KMS key of that table. Default: a key that AWS owns. */
  readonly learnedTableKey?: string;
  /** Days for which decisions and snapshots are kept. Default: 30. */
  readonly snapshotRetentionDays: number;
  /**
   * True to store decisions with hashes in the place of all names but those of NodePools. Default: false.
   */
  readonly redactNames: boolean;
  /** Days for which the functions' logs are kept. Default: 30. */
  readonly logRetentionDays: LogRetentionDays;
  /**
   * The functions that write a debug line per call to the API server or AWS; `all` for every
   * function that can. Default: none.
   */
  readonly debugFunctions: readonly string[];
  /**
   * The memory of the functions, by the number of nodes: `small` up to about 100, `medium` up to
   * 1,000, `large` up to 5,000. The alarms `SizeTooSmall` and `FunctionsSlow` say when to raise it.
   * Default: `small`.
   */
  readonly size: Size;
  /**
   * CloudWatch: `none`, `alarms` with the metrics that they watch, or `all` metrics and a dashboard.
   * The saved queries exist in any case. The option `monitoring`. Default: `alarms`.
   */
  readonly monitoring: MonitoringLevel;
  /** ARN of the SNS topic that alarms notify. Default: alarms show in CloudWatch only. */
  readonly alarmTopicArn?: string;
  /**
   * The events that are published on EventBridge; `all` for every kind. See docs/reference/events.md.
   * Default: none.
   */
  readonly eventKinds: readonly PublishedKind[];
  /** Name of the bus on which they are published. Default: `default`. */
  readonly eventBus: string;
  /**
   * Concurrency that is reserved for the intake, which is also its maximum; 0 switches the hooks
   * off. Lambda must keep 100 unreserved for the rest of the account and fails the deployment with
   * `decreases account's UnreservedConcurrentExecution below its minimum value` if it cannot: then
   * raise the quota *Concurrent executions*, or set `none`, which reserves nothing. Default: 10.
   */
  readonly intakeConcurrency?: number;
  /**
   * `hintBucketMs` (100), `podMarginMs` (100) and `objectMarginMs` (1000): the time from the call of a
   * hook until its object is read. `batchIdleMs` (1000), `batchMaxMs` (10000): how long pods whose
   * owners are unknown are collected. `anticipate` (true): plans include pods that owners are still creating.
   * `launchesPerMinute` (1000), `maxHourlyUsd` (10000), `maxNodes` (three times the nodes of the last
   * day's peak, at least 20; without this limit if `maxHourlyUsd` is set): limits of the whole cluster,
   * whatever its NodePools allow. `deletedClusterAfterMinutes` (60): how long EKS must not have the
   * cluster before its instances, launch templates and instance profiles are terminated.
   */
  readonly timing: TimingOptions;
  /**
   * Options of the decisions: `featureGates` and `awsFeatureGates`, such as
   * `NodeOverlay=true,NodeRepair=true`; `preferencePolicy` (Respect), `minValuesPolicy` (Strict),
   * `rebalancePolicy` (Ignore), `ignoreDraRequests` (true), `isolatedVpc` (false), `disableDryRun` (false), `enableZonalShift`
   * (false), `vmMemoryOverheadPercent` (0.075), `reservedEnis` (0), `perNodeHourlyUsd` (0.03),
   * `consolidationPayback` (1h), `evictionCostUsd` (0.0125), `growthWindow` (1h), `steerPods` (true),
   * `surplusNodes` (Taint), `schedulerConfig` (none), `committedCapacity` (none). See docs/reference/settings.md.
   */
  readonly decisions: DecisionOptions;
}

export const EVENT_SOURCES = ['auto', 'hook', 'poll', 'controller'] as const;
export type EventSourceOption = (typeof EVENT_SOURCES)[number];

export interface ApiServerFacts {
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
}

export interface FunctionNetwork {
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** Retention periods that CloudWatch Logs supports, up to a year. */
export const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365] as const;
export type LogRetentionDays = (typeof LOG_RETENTION_DAYS)[number];

/** The functions that can write debug lines, by their folders below `functions/`. */
export const DEBUGGABLE_FUNCTIONS = [
  'provisioning',
  'node-lifecycle',
  'disruption',
  'interruption',
  'sweep',
  'node-class',
] as const;
export type DebuggableFunction = (typeof DEBUGGABLE_FUNCTIONS)[number];

/** Reads a context value: text from the command line, any JSON from `cdk.json`. */
export type Context = (name: string) => unknown;
