import * as z from 'zod';
import type { Check } from '../evaluate.ts';
import { type Account, ask, askKey } from '../requests/request.ts';
import { toChecks } from '../requests/to-checks.ts';
import { accountFacts } from './account-facts.ts';
import type { Resource } from './deployed-template.ts';
import { CLUSTER, type SynthesizedStack } from './option-sets.ts';

/** A question that AWS raises with a role of the stack, without any code of ours. */
export interface PlatformCheck {
  readonly role: string;
  readonly check: Check;
}

const functionSchema = z.object({
  Role: z.string(),
  KmsKeyArn: z.string().optional(),
  VpcConfig: z.unknown().optional(),
  LoggingConfig: z.object({ LogGroup: z.string() }).optional(),
});
const mappingSchema = z.object({ EventSourceArn: z.string(), FunctionName: z.string() });
const scheduleSchema = z.object({ Target: z.object({ Arn: z.string(), RoleArn: z.string() }) });

const toRoleName = (arn: string): string => arn.split('/').at(-1) ?? '';

/** Lists what Lambda and EventBridge Scheduler ask for the functions and schedules of a stack. */
export function listPlatformChecks({ resources, options, location }: SynthesizedStack): readonly PlatformCheck[] {
  const key = typeof options.kmsKeyArn === 'string' ? { key: options.kmsKeyArn } : {};
  const account = accountFacts(location, { requests: [], nodeRoles: [], ...key });
  const ofType = (type: string): readonly Resource[] => resources.filter((resource) => resource.type === type);
  const functions = new Map(
    ofType('AWS::Lambda::Function').map(({ id, properties }) => [id, functionSchema.parse(properties)]),
  );
  return [
    ...[...functions.entries()].flatMap(([id, fn]) => {
      const role = toRoleName(fn.Role);
      return askForFunction(account, id, fn).map((check) => ({ role, check }));
    }),
    ...ofType('AWS::Lambda::EventSourceMapping').flatMap(({ properties }) => {
      const { EventSourceArn, FunctionName } = mappingSchema.parse(properties);
      const role = toRoleName(functions.get(FunctionName)?.Role ?? '');
      return askForQueue(account, EventSourceArn).map((check) => ({ role, check }));
    }),
    ...ofType('AWS::Scheduler::Schedule').flatMap(({ properties }) => {
      const { Arn, RoleArn } = scheduleSchema.parse(properties).Target;
      return askForTarget(account, Arn).map((check) => ({ role: toRoleName(RoleArn), check }));
    }),
    // The CDK's custom resource that reads the cluster's endpoint.
    ...[...functions.values()]
      .filter(({ Role }) => toRoleName(Role).startsWith('ClusterFacts'))
      .flatMap(({ Role }) => {
        const request = { service: 'eks', operation: 'DescribeCluster', input: { name: CLUSTER } };
        return toChecks(request, account).map((check) => ({ role: toRoleName(Role), check }));
      }),
  ];
}

/**
 * Logs, the environment at a cold start, and network interfaces in a VPC.
 *
 * @see docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
 * @see docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html, "Required IAM permissions"
 */
function askForFunction(
  account: Account,
  id: string,
  { VpcConfig, LoggingConfig, KmsKeyArn }: z.output<typeof functionSchema>,
): readonly Check[] {
  const { partition, region } = account;
  const group = LoggingConfig?.LogGroup ?? `/aws/lambda/${id}`;
  const stream = `arn:${partition}:logs:${region}:${account.account}:log-group:${group}:log-stream:s`;
  const interfaces = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DescribeSubnets'];
  const addresses = ['DeleteNetworkInterface', 'AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses'];
  return [
    ...['CreateLogStream', 'PutLogEvents'].map((action) => ask(account, `logs:${action}`, stream)),
    ...(KmsKeyArn === undefined ? [] : askKey(account, 'lambda', id, 'Decrypt')),
    ...(VpcConfig === undefined
      ? []
      : [...interfaces, ...addresses].map((action) => ask(account, `ec2:${action}`, '*'))),
  ];
}

/** @see docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html, "Configuring execution role permissions" */
const askForQueue = (account: Account, arn: string): readonly Check[] => [
  ...['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => ask(account, `sqs:${action}`, arn)),
  ...askKey(account, 'sqs', arn, 'Decrypt'),
];

/** @see docs.aws.amazon.com/scheduler/latest/UserGuide/setting-up.html, "Set up the execution role" */
const askForTarget = (account: Account, arn: string): readonly Check[] =>
  arn.includes(':lambda:')
    ? [ask(account, 'lambda:InvokeFunction', arn)]
    : [ask(account, 'sqs:SendMessage', arn), ...askKey(account, 'sqs', arn, 'GenerateDataKey', 'Decrypt')];
