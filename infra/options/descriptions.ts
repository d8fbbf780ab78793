import type { DecisionOptionName } from './decision-options.ts';
import type { OptionName } from './formats.ts';
import type { TimingOptionName } from './timing-options.ts';

export interface OptionDescription {
  /** The value of an option that is not given, for readers. */
  readonly byDefault: string;
  readonly meaning: string;
}

/** Decisions and limits that `mortise controller` has as well: docs/reference/settings.md. */
type CommonSetting = DecisionOptionName | Exclude<TimingOptionName, keyof typeof TIMING>;

const TIMING = {
  hintBucketMs: {
    byDefault: '100',
    meaning: 'Events of the API server within this time start one run.',
  },
  podMarginMs: {
    byDefault: '100',
    meaning: 'The time between an Event about a pod and the read that finds the pod.',
  },
  objectMarginMs: {
    byDefault: '1000',
    meaning: 'The time between a changed object and the read that finds the change.',
  },
  anticipate: {
    byDefault: 'true',
    meaning: 'Whether nodes are launched for pods that their owner has still to create.',
  },
} as const satisfies Partial<Record<TimingOptionName, OptionDescription>>;

/** The options of the stack that are not in docs/reference/settings.md, in the order of the page. */
export const DESCRIPTIONS: Readonly<Record<Exclude<OptionName | TimingOptionName, CommonSetting>, OptionDescription>> =
  {
    cluster: {
      byDefault: 'none, required',
      meaning: 'The name of the EKS cluster. One stack serves one cluster.',
    },
    size: {
      byDefault: 'small',
      meaning:
        'The memory of the functions, by the number of nodes: `small` up to about 100, `medium` up to 1,000, `large` up to 5,000. The alarms `SizeTooSmall` and `FunctionsSlow` say when to raise it.',
    },
    nodeRoles: {
      byDefault: 'a role of the stack, output `NodeRoleName`',
      meaning:
        'Names of the roles that may be passed to nodes, with their path if they have one (`platform/nodes`), or their ARNs. They must exist. No other role can be passed to an instance, whatever an EC2NodeClass says. A role without an access entry gets one when an EC2NodeClass uses it.',
    },
    windowsNodeRoles: {
      byDefault: 'none',
      meaning:
        'Further roles, for EC2NodeClasses of Windows: a role cannot have access entries for both Linux and Windows nodes.',
    },
    permissionsBoundary: {
      byDefault: 'none',
      meaning: 'The IAM policy that limits every role of the stack, the node role included.',
    },
    rolePath: {
      byDefault: '/',
      meaning:
        'The path of every role of the stack. A later change replaces the roles, which IAM refuses for the named node role: choose it at the first deployment.',
    },
    eventSource: {
      byDefault: '`auto`; `poll` in regions without function URLs',
      meaning:
        '`hook`: the API server calls a function. `poll`: a function looks every five seconds. `controller`: you run `mortise controller`. `auto`: the deployment decides by the network of the cluster; the outputs `EventSource` and `EventSourceWhy` report it. With `poll` and `controller` the stack has no address, no token and no function for webhooks.',
    },
    endpoint: {
      byDefault: 'read from EKS at deployment',
      meaning: 'The address of the API server. It goes with `certificateAuthority`.',
    },
    certificateAuthority: {
      byDefault: 'read from EKS at deployment',
      meaning: 'The certificate authority of the API server. It goes with `endpoint`.',
    },
    serviceCidr: {
      byDefault: 'read from EKS when an EC2NodeClass is resolved',
      meaning: 'The Service CIDR of the cluster, which nodes of AL2023 need.',
    },
    functionSubnets: {
      byDefault: 'no VPC',
      meaning:
        'The subnets of the functions, for a cluster without a public endpoint. The functions need EC2, SQS, SSM, IAM, EKS, Lambda, Secrets Manager and CloudWatch through a NAT gateway or interface endpoints, and DynamoDB and S3 through gateway endpoints.',
    },
    functionSecurityGroups: {
      byDefault: 'no VPC',
      meaning: 'The security groups of the functions. They go with `functionSubnets`.',
    },
    hookAddress: {
      byDefault: 'the function URL of the intake',
      meaning: 'The address at which the API server reaches the intake, such as a private API.',
    },
    hookCertificateAuthority: {
      byDefault: 'the public roots of Amazon',
      meaning: 'The certificate authority of `hookAddress`.',
    },
    hookVpcEndpoint: {
      byDefault: 'none',
      meaning:
        'An interface endpoint of `execute-api` in the VPC of the cluster. The intake gets a private API instead of a public address. The security group of the endpoint must allow the one of the cluster on port 443.',
    },
    intakeConcurrency: {
      byDefault: '10',
      meaning:
        'The concurrency that is reserved for the intake, which is also its maximum. 0 switches the hooks off. If the account has less than 100 unreserved left, the deployment fails: raise the quota *Concurrent executions*, or set `none`.',
    },
    kmsKeyArn: {
      byDefault: 'keys that AWS owns',
      meaning:
        'The key for table, queues, bucket, secret, environments and logs. Its policy must allow `events.amazonaws.com` and `logs.<region>.amazonaws.com`.',
    },
    volumeKeys: {
      byDefault: 'none',
      meaning:
        'The KMS keys with which volumes of nodes are encrypted: those of `kmsKeyID` in EC2NodeClasses, and the default key of EBS in the account if it is your own. The key policies must allow it as well: see [encrypted volumes](../guides/encrypted-volumes.md).',
    },
    imageParameters: {
      byDefault: 'none',
      meaning:
        'SSM parameters of your own that EC2NodeClasses may name as `ssmParameter`: names such as `/images/al2023` or `/images/*`, or ARNs of parameters that another account shares. Public parameters (`/aws/service/…`) may be named in any case.',
    },
    monitoring: {
      byDefault: 'alarms',
      meaning:
        '`none`: no alarms and no metrics. `alarms`: alarms, and the values that they act on. `all`: also all [metrics](metrics.md) and a dashboard. The saved queries exist in any case. [What each costs](../cost.md).',
    },
    alarmTopicArn: {
      byDefault: 'alarms show in CloudWatch only',
      meaning: 'The SNS topic that alarms notify.',
    },
    eventKinds: {
      byDefault: 'none',
      meaning:
        'The [events](events.md) that are published on EventBridge, such as `PodsWaiting,CapReached`, or `all`. They contain names of pods and nodes, also with `redactNames`.',
    },
    eventBus: {
      byDefault: 'default',
      meaning: 'The event bus of the same account and region on which `eventKinds` are published.',
    },
    snapshotRetentionDays: {
      byDefault: '30',
      meaning: 'The days for which decisions and snapshots are kept.',
    },
    redactNames: {
      byDefault: 'false',
      meaning: 'Whether decisions are stored with hashes in the place of all names but those of NodePools.',
    },
    logRetentionDays: {
      byDefault: '30',
      meaning: 'The days for which the logs of the functions are kept.',
    },
    debugFunctions: {
      byDefault: 'none',
      meaning:
        'The functions, such as `provisioning,disruption`, or `all`, that write a debug line per call to the API server or AWS: port, call, milliseconds. No option writes less than the level `info`, because alarms count lines of that level.',
    },
    learnedTable: {
      byDefault: 'the table of the stack',
      meaning:
        'A DynamoDB table of the same account and region in which several clusters share what they learned about EC2. Every cluster that writes there is trusted: see [threat model](../threat-model.md).',
    },
    learnedTableKey: {
      byDefault: 'a key that AWS owns',
      meaning: 'The KMS key of the table in `learnedTable`.',
    },
    ...TIMING,
  };
