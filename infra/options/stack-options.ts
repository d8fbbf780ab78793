import { MONITORING_LEVELS } from '../../shared/model/metrics/alarm-metrics.ts';
import { choice, form, list, TRUE_OR_FALSE, text, wholeNumber } from '../../shared/settings/forms.ts';
import type { StackOption } from '../../shared/settings/setting.ts';
import { CLASSES } from '../../shared/settings/tables/classes.ts';
import { BASE64_PEM, CLUSTER } from '../../shared/settings/tables/cluster.ts';
import { PUBLISHED_EVENTS } from '../../shared/settings/tables/events.ts';
import { SIZES } from '../sizes.ts';

export const EVENT_SOURCES = ['auto', 'hook', 'poll', 'controller'] as const;

/** Retention periods that CloudWatch Logs supports, up to a year. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365] as const;
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

const ids = (kind: string, ofWhat: string) =>
  list(`ids of ${ofWhat}, separated by commas`, new RegExp(`^${kind}-(?:[0-9a-f]{8}|[0-9a-f]{17})$`));

/** A name, with its path if the role has one, or an ARN. */
const ROLES = list(
  'names of IAM roles, like platform/nodes if they have a path, or ARNs, separated by commas; no wildcards',
  /^(?:arn:[\w-]+:iam::\d{12}:role\/)?(?:[\w+=.@-]+\/)*[\w+=.@-]{1,64}$/,
);
const KMS_KEY = text('the ARN of a KMS key; not of an alias', /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/);

const DAYS = wholeNumber(1, 3650, 'days');

const RETENTION = form(`one of ${LOG_RETENTION_DAYS.join(', ')}`, `one of ${LOG_RETENTION_DAYS.join(', ')}`, (given) =>
  LOG_RETENTION_DAYS.find((days) => String(days) === given),
);

const CONCURRENCY_FORM = 'a number from 0 to 1000, or none to reserve nothing';
const CONCURRENCY = form(CONCURRENCY_FORM, CONCURRENCY_FORM, (given): number | 'none' | undefined => {
  if (given === 'none') return given;
  return /^\d+$/.test(given) && Number(given) <= 1000 ? Number(given) : undefined;
});

/** The options of a deployment that the functions do not read, in the order of the page. */
export const STACK_OPTIONS = {
  ...CLUSTER,
  size: {
    form: choice(...SIZES),
    usual: 'small',
    meaning:
      'The memory of the functions, by the number of nodes: `small` up to about 100, `medium` up to 1,000, `large` up to 5,000. The alarms `SizeTooSmall` and `FunctionsSlow` say when to raise it.',
  },
  nodeRoles: {
    form: ROLES,
    usual: '',
    byDefault: 'a role of the stack, output `NodeRoleName`',
    meaning:
      'Names of the roles that may be passed to nodes, with their path if they have one (`platform/nodes`), or their ARNs. They must exist. No other role can be passed to an instance, whatever an EC2NodeClass says. A role without an access entry gets one when an EC2NodeClass uses it.',
  },
  windowsNodeRoles: {
    form: ROLES,
    usual: '',
    byDefault: 'none',
    meaning:
      'Further roles, for EC2NodeClasses of Windows: a role cannot have access entries for both Linux and Windows nodes.',
  },
  permissionsBoundary: {
    form: text('the ARN of an IAM policy', /^arn:[\w-]+:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/),
    byDefault: 'none',
    meaning: 'The IAM policy that limits every role of the stack, the node role included.',
  },
  rolePath: {
    form: text('a path of IAM, like /mortise/', /^\/(?:[\w+=,.@-]+\/)*$/),
    byDefault: '/',
    meaning:
      'The path of every role of the stack. A later change replaces the roles, which IAM refuses for the named node role: choose it at the first deployment.',
  },
  eventSource: {
    form: choice(...EVENT_SOURCES),
    usual: 'auto',
    byDefault: '`auto`; `poll` in regions without function URLs',
    meaning:
      '`hook`: the API server calls a function. `poll`: a function looks every five seconds. `controller`: you run `mortise controller`. `auto`: the deployment decides by the network of the cluster; the outputs `EventSource` and `EventSourceWhy` report it. With `poll` and `controller` the stack has no address, no token and no function for webhooks.',
  },
  serviceCidr: {
    form: text('a range of addresses, like 10.100.0.0/16 or fd30:1c53:5f8a::/108', /^[0-9a-f.:]+\/\d{1,3}$/),
    byDefault: 'read from EKS when an EC2NodeClass is resolved',
    meaning: 'The Service CIDR of the cluster, which nodes of AL2023 need.',
  },
  functionSubnets: {
    form: ids('subnet', 'subnets'),
    usual: '',
    byDefault: 'no VPC',
    meaning:
      'The subnets of the functions, for a cluster without a public endpoint. The functions need EC2, SQS, SSM, IAM, EKS, Lambda, Secrets Manager and CloudWatch through a NAT gateway or interface endpoints, and DynamoDB and S3 through gateway endpoints.',
  },
  functionSecurityGroups: {
    form: ids('sg', 'security groups'),
    usual: '',
    byDefault: 'no VPC',
    meaning: 'The security groups of the functions. They go with `functionSubnets`.',
  },
  hookAddress: {
    form: text(
      'an https URL without user, query and fragment',
      // The form that the API server requires.
      (url) => /^https:\/\/[^@?#]+$/.test(url) && URL.canParse(url),
    ),
    byDefault: 'the function URL of the intake',
    meaning: 'The address at which the API server reaches the intake, such as a private API.',
  },
  hookCertificateAuthority: {
    form: BASE64_PEM,
    byDefault: 'the public roots of Amazon',
    meaning: 'The certificate authority of `hookAddress`.',
  },
  hookVpcEndpoint: {
    form: text('the id of an interface endpoint, like vpce-0a1b2c3d4e5f60718', /^vpce-(?:[0-9a-f]{8}|[0-9a-f]{17})$/),
    byDefault: 'none',
    meaning:
      'An interface endpoint of `execute-api` in the VPC of the cluster. The intake gets a private API instead of a public address. The security group of the endpoint must allow the one of the cluster on port 443.',
  },
  intakeConcurrency: {
    form: CONCURRENCY,
    usual: '10',
    meaning:
      'The concurrency that is reserved for the intake, which is also its maximum. 0 switches the hooks off. If the account has less than 100 unreserved left, the deployment fails: raise the quota *Concurrent executions*, or set `none`.',
  },
  kmsKeyArn: {
    form: KMS_KEY,
    byDefault: 'keys that AWS owns',
    meaning:
      'The key for table, queues, bucket, secret, environments and logs. Its policy must allow `events.amazonaws.com` and `logs.<region>.amazonaws.com`.',
  },
  monitoring: {
    form: choice(...MONITORING_LEVELS),
    usual: 'alarms',
    meaning:
      '`none`: no alarms and no metrics. `alarms`: alarms, and the values that they act on. `all`: also all [metrics](metrics.md) and a dashboard. The saved queries exist in any case. [What each costs](../cost.md).',
  },
  alarmTopicArn: {
    form: text('the ARN of an SNS topic', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
    byDefault: 'alarms show in CloudWatch only',
    meaning: 'The SNS topic that alarms notify.',
  },
  snapshotRetentionDays: {
    form: DAYS,
    usual: '30',
    meaning: 'The days for which decisions and snapshots are kept.',
  },
  redactNames: {
    form: TRUE_OR_FALSE,
    usual: 'false',
    meaning: 'Whether decisions are stored with hashes in the place of all names but those of NodePools.',
  },
  logRetentionDays: {
    form: RETENTION,
    usual: '30',
    meaning: 'The days for which the logs of the functions are kept.',
  },
  debugFunctions: {
    form: list(
      `all, or some of ${DEBUGGABLE_FUNCTIONS.join(', ')}, separated by commas`,
      (name) => name === 'all' || DEBUGGABLE_FUNCTIONS.some((one) => one === name),
    ),
    usual: '',
    byDefault: 'none',
    meaning:
      'The functions, such as `provisioning,disruption`, or `all`, that write a debug line per call to the API server or AWS: port, call, milliseconds. No option writes less than the level `info`, because alarms count lines of that level.',
  },
  learnedTable: {
    form: text('the name of a DynamoDB table; not its ARN', /^[\w.-]{3,255}$/),
    byDefault: 'the table of the stack',
    meaning:
      'A DynamoDB table of the same account and region in which several clusters share what they learned about EC2. Every cluster that writes there is trusted: see [threat model](../threat-model.md).',
  },
  learnedTableKey: {
    form: KMS_KEY,
    byDefault: 'a key that AWS owns',
    meaning: 'The KMS key of the table in `learnedTable`.',
  },
} as const satisfies Readonly<Record<string, StackOption>>;

/** Options that functions read, and that the stack acts on as well. */
export const SHARED_OPTIONS = {
  volumeKeys: CLASSES.volumeKeys,
  imageParameters: CLASSES.imageParameters,
  eventKinds: PUBLISHED_EVENTS.kinds,
  eventBus: PUBLISHED_EVENTS.bus,
} as const satisfies Readonly<Record<string, StackOption>>;
