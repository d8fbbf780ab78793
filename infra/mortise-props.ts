import type { ISecurityGroup, ISubnet } from 'aws-cdk-lib/aws-ec2';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IManagedPolicy, IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import type { MonitoringLevel } from '../shared/model/metrics/alarm-metrics.ts';
import type { PublishedKind } from '../shared/model/published-events/kinds.ts';
import type { ApiServerFacts, EventSourceOption } from './options/options.ts';
import type { PassedOption } from './options/read-options.ts';
import type { DebuggableFunction, LogRetentionDays } from './options/stack-options.ts';
import type { Size } from './sizes.ts';

/** Properties of `Mortise`. Only the cluster is required. */
export interface MortiseProps {
  /**
   * The EKS cluster, or its name. The name must be known at synthesis, because IAM conditions
   * contain it as part of a key: for a cluster of the same app, give the cluster a `clusterName`.
   */
  readonly cluster: NamedCluster | string;
  /**
   * Roles that may be passed to nodes. A role without an access entry gets one when an EC2NodeClass
   * uses it.
   *
   * @default - a new role
   */
  readonly nodeRoles?: readonly IRole[];
  /**
   * Further roles, for EC2NodeClasses of Windows: a role cannot have access entries for both Linux
   * and Windows nodes.
   *
   * @default - none
   */
  readonly windowsNodeRoles?: readonly IRole[];
  /**
   * The policy that limits every role of the construct.
   *
   * @default - no boundary
   */
  readonly permissionsBoundary?: IManagedPolicy;
  /**
   * Path of every role of the construct, such as `/mortise/`.
   *
   * @default /
   */
  readonly rolePath?: string;
  /**
   * The number of nodes that the functions' memory is enough for: about 100, 1,000 or 5,000.
   *
   * @default small
   */
  readonly size?: Size;
  /**
   * The cluster's Service CIDR, which AL2023 nodes need.
   *
   * @default - read from EKS when the first EC2NodeClass is resolved
   */
  readonly serviceCidr?: string;
  /**
   * Endpoint and certificate authority of the API server.
   *
   * @default - read from EKS at deployment
   */
  readonly apiServer?: ApiServerFacts;
  /**
   * Subnets and security groups for the functions that talk to a cluster without a public endpoint.
   *
   * @default - the functions run outside of a VPC
   */
  readonly network?: MortiseNetwork;
  /**
   * Key for the table, the queues, the bucket, the secret, the environments and the logs. Its policy
   * must allow `events.amazonaws.com` and `logs.<region>.amazonaws.com`.
   *
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * Keys with which volumes of nodes are encrypted: those of `kmsKeyID` in EC2NodeClasses, and the
   * account's default key of EBS if it is your own. Their policies must allow it.
   *
   * @default - none
   */
  readonly volumeKeys?: readonly IKey[];
  /**
   * SSM parameters of your own that EC2NodeClasses may name as `ssmParameter`: names, such as
   * `/images/*`, or ARNs.
   *
   * @default - none
   */
  readonly imageParameters?: readonly string[];
  /**
   * The source of events: `hook` (the API server calls a function), `poll` (a function looks every
   * five seconds), `controller` (you run `mortise controller`), or `auto`, which decides at
   * deployment by the cluster's network.
   *
   * @default - auto, or poll in a region without function URLs
   */
  readonly eventSource?: EventSourceOption;
  /**
   * The address at which the API server reaches the intake, and the PEM in base64 that its
   * certificate is checked with.
   *
   * @default - the function URL of the intake
   */
  readonly hook?: { readonly address: string; readonly certificateAuthority?: string };
  /**
   * Id of an interface endpoint of `execute-api` in the cluster's VPC: the intake gets a private API.
   *
   * @default - a function URL
   */
  readonly hookVpcEndpointId?: string;
  /**
   * Name of a DynamoDB table in which several clusters share what they learned about EC2.
   *
   * @default - the construct's own table
   */
  readonly learnedTableName?: string;
  /**
   * Key of that table.
   *
   * @default - a key that AWS owns
   */
  readonly learnedTableKey?: IKey;
  /**
   * Days for which decisions and snapshots are kept.
   *
   * @default 30
   */
  readonly snapshotRetentionDays?: number;
  /**
   * True to store decisions with hashes in the place of all names but those of NodePools.
   *
   * @default false
   */
  readonly redactNames?: boolean;
  /**
   * Days for which the functions' logs are kept.
   *
   * @default 30
   */
  readonly logRetentionDays?: LogRetentionDays;
  /**
   * The functions that write a debug line per call to the API server or AWS.
   *
   * @default - none
   */
  readonly debugFunctions?: readonly (DebuggableFunction | 'all')[];
  /**
   * CloudWatch: `none`, `alarms` with the metrics that they watch, or `all` metrics and a dashboard.
   *
   * @default alarms
   */
  readonly monitoring?: MonitoringLevel;
  /**
   * The topic that alarms notify.
   *
   * @default - alarms show in CloudWatch only
   */
  readonly alarmTopic?: ITopic;
  /**
   * The events that are published on EventBridge: see docs/reference/events.md.
   *
   * @default - none
   */
  readonly eventKinds?: readonly (PublishedKind | 'all')[];
  /**
   * The bus of the same account and region on which they are published.
   *
   * @default - the default bus
   */
  readonly eventBus?: Pick<IEventBus, 'eventBusName'>;
  /**
   * Concurrency that is reserved for the intake; `none` reserves nothing.
   *
   * @default 10
   */
  readonly intakeConcurrency?: number | 'none';
  /**
   * All other options of `cdk deploy -c`, by the same names: timing, caps and decisions, such as
   * `maxNodes` or `featureGates`.
   *
   * @default - see docs/reference/settings.md
   */
  readonly settings?: MortiseSettings;
}

/** A cluster of the module aws-eks or aws-eks-v2, created or imported. */
export type NamedCluster = IConstruct & { readonly clusterName: string };

/** Values as text, or as the number or boolean that the text means. */
export type MortiseSettings = {
  readonly [Name in PassedOption]?: string | number | boolean;
};

/** Where the functions run, for a cluster without a public endpoint. */
export interface MortiseNetwork {
  readonly subnets: readonly ISubnet[];
  readonly securityGroups: readonly ISecurityGroup[];
}
