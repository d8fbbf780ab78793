import { type DecisionOptions, readDecisionOptions } from './decisions.ts';
import { OptionsError } from './errors.ts';
import { readTimingOptions, type TimingOptions } from './timing.ts';

/** What may be said about a deployment, as `cdk deploy -c <name>=<value>` or in `cdk.json`. */
export interface MortiseOptions {
  /** The EKS cluster to serve, by name. One stack serves one cluster. */
  readonly cluster: string;
  /** Where the cluster is. Both or neither; without them the stack goes where the CLI points. */
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
   */
  readonly timing: TimingOptions;
  /**
   * `featureGates` and `awsFeatureGates`, like `NodeOverlay=true,NodeRepair=true`; `preferencePolicy`
   * (Respect), `minValuesPolicy` (Strict), `ignoreDraRequests` (true), `isolatedVpc` (false),
   * `disableDryRun` (false), `vmMemoryOverheadPercent` (0.075), `reservedEnis` (0),
   * `perNodeHourlyUsd` (0.01): what is decided with. See docs/reference/settings.md.
   */
  readonly decisions: DecisionOptions;
}

const EVENT_SOURCES = ['auto', 'hook', 'poll', 'controller'] as const;
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
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365] as const;
export type LogRetentionDays = (typeof LOG_RETENTION_DAYS)[number];

/** Context values: text from the command line, any JSON from `cdk.json`. */
export type Context = (name: string) => unknown;

/** What the CDK command line says of the account that it has credentials for. */
export interface CliEnvironment {
  readonly CDK_DEFAULT_ACCOUNT?: string | undefined;
  readonly CDK_DEFAULT_REGION?: string | undefined;
}

/** @throws OptionsError - at synth, so that nothing wrong is ever half deployed */
export function readOptions(context: Context, environment: CliEnvironment): MortiseOptions {
  const problems: string[] = [];
  const read = reader(context, problems);

  const cluster = read('cluster', '', isClusterName, CLUSTER_PROBLEM);
  const nodeRoles = read('nodeRoles', '', isRoleNamesOrNone, ROLES_PROBLEM);
  const snapshotRetentionDays = read('snapshotRetentionDays', '30', isDays, DAYS_PROBLEM);
  const logRetentionDays = read('logRetentionDays', '30', isLogDays, LOG_DAYS_PROBLEM);
  const alarmTopicArn = read('alarmTopicArn', '', isTopicOrNone, TOPIC_PROBLEM);
  const intakeConcurrency = read('intakeConcurrency', '', isCountOrNone, COUNT_PROBLEM);
  const serviceCidr = read('serviceCidr', '', isCidrOrNone, CIDR_PROBLEM);
  const endpoint = read('endpoint', '', isEndpointOrNone, ENDPOINT_PROBLEM);
  const authority = read('certificateAuthority', '', isBase64OrNone, AUTHORITY_PROBLEM);
  if ((endpoint === '') !== (authority === '')) problems.push(HALF_A_SERVER);
  const functionSubnets = read('functionSubnets', '', isSubnetIdsOrNone, SUBNET_IDS_PROBLEM);
  const groups = read('functionSecurityGroups', '', isGroupIdsOrNone, GROUP_IDS_PROBLEM);
  if ((functionSubnets === '') !== (groups === '')) problems.push(HALF_A_NETWORK);
  const kmsKeyArn = read('kmsKeyArn', '', isKeyOrNone, KEY_PROBLEM);
  const learnedTable = read('learnedTable', '', isTableOrNone, TABLE_PROBLEM);
  const eventSource = read('eventSource', 'auto', isEventSource, EVENT_SOURCE_PROBLEM);
  const hookAddress = read('hookAddress', '', isHookAddressOrNone, HOOK_ADDRESS_PROBLEM);
  const hookAuthority = read('hookCertificateAuthority', '', isBase64OrNone, AUTHORITY_PROBLEM);
  if (hookAuthority !== '' && hookAddress === '') problems.push(HALF_A_HOOK);
  const hookVpcEndpoint = read('hookVpcEndpoint', '', isVpcEndpointOrNone, VPC_ENDPOINT_PROBLEM);
  if (hookVpcEndpoint !== '' && hookAddress !== '') problems.push(TWO_HOOKS);
  const timing = readTimingOptions(context, problems);
  const decisions = readDecisionOptions(context, problems);
  const target = readTarget(context, environment, problems);
  if (kmsKeyArn !== '' && !target) problems.push(KEY_WITHOUT_PLACE);

  if (problems.length > 0) throw new OptionsError(problems);
  return {
    cluster,
    nodeRoles: nodeRoles === '' ? [] : nodeRoles.split(','),
    snapshotRetentionDays: Number(snapshotRetentionDays),
    logRetentionDays: logDaysOf(logRetentionDays),
    timing,
    decisions,
    eventSource: EVENT_SOURCES.find((source) => source === eventSource) ?? 'auto',
    ...(hookAddress !== '' && {
      hook: {
        address: hookAddress,
        ...(hookAuthority !== '' && { certificateAuthority: hookAuthority }),
      },
    }),
    ...(hookVpcEndpoint !== '' && { hookVpcEndpoint }),
    ...(endpoint !== '' && { apiServer: { endpoint, certificateAuthority: authority } }),
    ...(serviceCidr !== '' && { serviceCidr }),
    ...(functionSubnets !== '' && {
      network: { subnetIds: functionSubnets.split(','), securityGroupIds: groups.split(',') },
    }),
    ...(kmsKeyArn !== '' && { kmsKeyArn }),
    ...(learnedTable !== '' && { learnedTable }),
    ...(alarmTopicArn !== '' && { alarmTopicArn }),
    ...(intakeConcurrency !== '' && { intakeConcurrency: Number(intakeConcurrency) }),
    ...(target && { target }),
  };
}

const CLUSTER_PROBLEM =
  'must be the name of an EKS cluster (letters, digits, - and _, at most 100): add -c cluster=<name>';
const ROLES_PROBLEM = 'must be names of IAM roles, separated by commas; not ARNs, no wildcards';
const DAYS_PROBLEM = 'must be a number of days from 1 to 3650';
const LOG_DAYS_PROBLEM = `must be one of ${LOG_RETENTION_DAYS.join(', ')}`;
const TOPIC_PROBLEM = 'must be the ARN of an SNS topic';
const COUNT_PROBLEM = 'must be a number from 0 to 1000';

const CIDR_PROBLEM = 'must be a range of addresses, like 10.100.0.0/16 or fd30:1c53:5f8a::/108';
const ENDPOINT_PROBLEM = 'must be an https URL';
const AUTHORITY_PROBLEM = 'must be PEM in base64';
const SUBNET_IDS_PROBLEM = 'must be ids of subnets, separated by commas';
const GROUP_IDS_PROBLEM = 'must be ids of security groups, separated by commas';
const TABLE_PROBLEM = 'must be the name of a DynamoDB table; not its ARN';
const KEY_PROBLEM = 'must be the ARN of a KMS key; not of an alias';
const KEY_WITHOUT_PLACE =
  'With the option kmsKeyArn the options account and region must be known, or credentials tell them.';
const HALF_A_NETWORK =
  'The options functionSubnets and functionSecurityGroups go together: give both or neither.';
const EVENT_SOURCE_PROBLEM = `must be one of ${EVENT_SOURCES.join(', ')}`;
const HOOK_ADDRESS_PROBLEM = 'must be an https URL without user, query and fragment';
const HALF_A_HOOK = 'The option hookCertificateAuthority goes with the option hookAddress.';
const VPC_ENDPOINT_PROBLEM = 'must be the id of an interface endpoint, like vpce-0a1b2c3d4e5f60718';
const TWO_HOOKS =
  'The options hookVpcEndpoint and hookAddress each say where the hooks call: give one.';
const HALF_A_SERVER =
  'The options endpoint and certificateAuthority go together: give both or neither.';

const isClusterName = (text: string) => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(text);
const isRoleNamesOrNone = (text: string) =>
  text === '' || text.split(',').every((name) => /^[\w+=.@-]{1,64}$/.test(name));
const isDays = (text: string) => isWhole(text, 1, 3650);
const isLogDays = (text: string) => LOG_RETENTION_DAYS.some((days) => String(days) === text);
const isTopicOrNone = (text: string) =>
  text === '' || /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/.test(text);
const isCountOrNone = (text: string) => text === '' || isWhole(text, 0, 1000);

const isCidrOrNone = (text: string) => text === '' || /^[0-9a-f.:]+\/\d{1,3}$/.test(text);

const isSubnetIdsOrNone = (text: string) => areIdsOrNone('subnet', text);
const isGroupIdsOrNone = (text: string) => areIdsOrNone('sg', text);
const areIdsOrNone = (kind: string, text: string) =>
  text === '' ||
  text.split(',').every((id) => new RegExp(`^${kind}-([0-9a-f]{8}|[0-9a-f]{17})$`).test(id));
const isVpcEndpointOrNone = (text: string) => areIdsOrNone('vpce', text) && !text.includes(',');
const isTableOrNone = (text: string) => text === '' || /^[\w.-]{3,255}$/.test(text);
const isKeyOrNone = (text: string) =>
  text === '' || /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(text);

const isEndpointOrNone = (text: string) =>
  text === '' || (URL.canParse(text) && new URL(text).protocol === 'https:');
const isEventSource = (text: string) => EVENT_SOURCES.some((source) => source === text);
/** As the API server wants it. */
const isHookAddressOrNone = (text: string) =>
  text === '' || (/^https:\/\/[^@?#]+$/.test(text) && URL.canParse(text));
const isBase64OrNone = (text: string) => /^[0-9A-Za-z+/]*={0,2}$/.test(text);

const isWhole = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;

const logDaysOf = (text: string): LogRetentionDays =>
  LOG_RETENTION_DAYS.find((days) => String(days) === text) ?? 30;

function reader(context: Context, problems: string[]) {
  return (
    name: string,
    otherwise: string,
    isRight: (text: string) => boolean,
    problem: string,
  ): string => {
    const value = context(name) ?? otherwise;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    if (text !== undefined && isRight(text)) return text;
    problems.push(`The option ${name} is ${JSON.stringify(value)}; it ${problem}.`);
    return otherwise;
  };
}

/** Options come first, then what the CDK command line found out about the account. */
function readTarget(
  context: Context,
  environment: CliEnvironment,
  problems: string[],
): MortiseOptions['target'] {
  const account = context('account') ?? environment.CDK_DEFAULT_ACCOUNT;
  const region = context('region') ?? environment.CDK_DEFAULT_REGION;
  if (context('account') === undefined && context('region') === undefined) {
    return typeof account === 'string' && typeof region === 'string'
      ? { account, region }
      : undefined;
  }

  const found = problems.length;
  // The command line may have read the digits of an account as a number.
  const digits = String(account);
  if (!/^\d{12}$/.test(digits)) {
    problems.push('The option account must be 12 digits, and goes with the option region.');
  }
  if (typeof region !== 'string' || !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    problems.push('The option region must be like eu-west-1, and goes with the option account.');
    return undefined;
  }
  return problems.length > found ? undefined : { account: digits, region };
}
