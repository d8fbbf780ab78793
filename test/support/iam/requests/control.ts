import * as z from 'zod';
import {
  type Account,
  ask,
  askKey,
  type Operation,
  onAnything,
  operation,
  type ServiceRequests,
  toArn,
} from './request.ts';

const functionSchema = z.object({ FunctionName: z.string() });

const toFunctionArn = (account: Account, name: string): string =>
  name.startsWith('arn:') ? name : toArn(account, 'lambda', `function:${name}`);

const onFunction = (action: string, ...keyActions: readonly string[]): Operation =>
  operation(functionSchema, ({ FunctionName }, account) => {
    const arn = toFunctionArn(account, FunctionName);
    return [ask(account, `lambda:${action}`, arn), ...askKey(account, 'lambda', arn, ...keyActions)];
  });

/**
 * "Lambda uses your permissions to create a grant" when the environment of a function with a customer
 * key is written. By the page, not tried.
 *
 * @see docs.aws.amazon.com/lambda/latest/dg/configuration-envvars-encryption.html
 */
export const LAMBDA: ServiceRequests = {
  prefix: 'lambda',
  operations: {
    Invoke: onFunction('InvokeFunction'),
    GetFunctionConfiguration: onFunction('GetFunctionConfiguration', 'Decrypt'),
    UpdateFunctionConfiguration: onFunction('UpdateFunctionConfiguration', 'Decrypt', 'Encrypt', 'CreateGrant'),
    GetAccountSettings: onAnything('lambda:GetAccountSettings'),
  },
};

const entriesSchema = z.object({
  Entries: z.array(
    z.object({
      EventBusName: z.string().default('default'),
      Source: z.string(),
      DetailType: z.string(),
    }),
  ),
});

/** @see docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-conditions.html */
export const EVENTS: ServiceRequests = {
  prefix: 'events',
  operations: {
    PutEvents: operation(entriesSchema, ({ Entries }, account) =>
      Entries.map(({ EventBusName, Source, DetailType }) =>
        ask(account, 'events:PutEvents', toArn(account, 'events', `event-bus/${EventBusName}`), {
          'events:source': Source,
          'events:detail-type': DetailType,
        }),
      ),
    ),
  },
};

/** @see docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html */
export const CLOUDWATCH: ServiceRequests = {
  prefix: 'cloudwatch',
  operations: { GetMetricStatistics: onAnything('cloudwatch:GetMetricStatistics') },
};

/**
 * ARC knows load balancers as resource types only; the key names any managed resource.
 *
 * @see docs.aws.amazon.com/r53recovery/latest/dg/security_iam_id-based-policy-examples-zonal-shift.html
 */
export const ARC_ZONAL_SHIFT: ServiceRequests = {
  prefix: 'arc-zonal-shift',
  operations: {
    GetManagedResource: operation(z.object({ resourceIdentifier: z.string() }), (input, account) => [
      ask(account, 'arc-zonal-shift:GetManagedResource', input.resourceIdentifier, {
        'arc-zonal-shift:ResourceIdentifier': input.resourceIdentifier,
      }),
    ]),
  },
};

const stackSchema = z.object({ StackName: z.string().optional(), RoleARN: z.string().optional() });

/** CloudFormation gets the role that a request names. */
const onStack = (action: string): Operation =>
  operation(stackSchema, ({ StackName: name = '*', RoleARN: role }, account) => {
    const isArn = name === '*' || name.startsWith('arn:');
    const stack = isArn ? name : toArn(account, 'cloudformation', `stack/${name}/0`);
    const passed = { 'iam:PassedToService': 'cloudformation.amazonaws.com' };
    return [
      ask(account, `cloudformation:${action}`, stack),
      ...(role === undefined ? [] : [ask(account, 'iam:PassRole', role, passed)]),
    ];
  });

/** Actions on stacks, also those of the command line of the CDK. */
const STACK_ACTIONS = [
  ...['DescribeStacks', 'DescribeStackEvents', 'DescribeEvents', 'DescribeStackResources'],
  ...['ListStackResources', 'GetTemplate', 'GetTemplateSummary', 'UpdateTerminationProtection'],
  ...['CreateChangeSet', 'DescribeChangeSet', 'ExecuteChangeSet', 'DeleteChangeSet', 'DeleteStack'],
];

/** @see docs.aws.amazon.com/service-authorization/latest/reference/list_awscloudformation.html */
export const CLOUDFORMATION: ServiceRequests = {
  prefix: 'cloudformation',
  operations: Object.fromEntries(STACK_ACTIONS.map((action) => [action, onStack(action)])),
};

/** The CDK asks why a deployment has failed. */
export const CLOUDTRAIL: ServiceRequests = {
  prefix: 'cloudtrail',
  operations: { LookupEvents: onAnything('cloudtrail:LookupEvents') },
};

/**
 * GetCallerIdentity needs no permission.
 *
 * @see docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 */
export const STS: ServiceRequests = {
  prefix: 'sts',
  operations: {
    GetCallerIdentity: () => [],
    AssumeRole: operation(z.object({ RoleArn: z.string() }), ({ RoleArn }, account) => [
      ask(account, 'sts:AssumeRole', RoleArn),
    ]),
  },
};

/** @see docs.aws.amazon.com/service-authorization/latest/reference/list_servicequotas.html */
export const SERVICE_QUOTAS: ServiceRequests = {
  prefix: 'servicequotas',
  operations: { GetServiceQuota: onAnything('servicequotas:GetServiceQuota') },
};

const onKey = (action: string): Operation =>
  operation(z.object({ KeyId: z.string() }), ({ KeyId }, account) => [ask(account, `kms:${action}`, KeyId)]);

/** @see docs.aws.amazon.com/service-authorization/latest/reference/list_awskeymanagementservice.html */
export const KMS: ServiceRequests = {
  prefix: 'kms',
  operations: { DescribeKey: onKey('DescribeKey'), GetKeyPolicy: onKey('GetKeyPolicy') },
};
