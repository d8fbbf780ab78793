import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeInstancesCommand, DescribeLaunchTemplatesCommand, DescribeVolumesCommand } from '@aws-sdk/client-ec2';
import { ListAccessEntriesCommand } from '@aws-sdk/client-eks';
import { ListInstanceProfilesCommand, ListPoliciesCommand, ListRolesCommand } from '@aws-sdk/client-iam';
import { ListEventSourceMappingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { type Forward, forwardTo } from '../forward.ts';
import { listAt, textAt } from '../json.ts';
import type { CloudClients } from './cloud-clients.ts';
import { getRequest, jsonRequest } from './rules/aws-request.ts';

/** Resources of the account, as `role MortiseNode-lab`. */
export interface AccountResources {
  /** Remembers what the account has now, under the name of a moment. */
  remember(moment: string): Promise<void>;
  /** Lists what the account has now and did not have at that moment. */
  addedSince(moment: string): Promise<readonly string[]>;
}

/** Lists every kind of resource that Mortise, its stack or its functions create. */
export function createAccountResources(cloud: CloudClients, emulatorUrl: string, cluster: string): AccountResources {
  const emulator = forwardTo(emulatorUrl);
  const remembered = new Map<string, readonly string[]>();
  const list = async (): Promise<readonly string[]> =>
    (await Promise.all([listByClients(cloud, cluster), ...UNTYPED.map((kind) => listUntyped(emulator, kind))]))
      .flat()
      .toSorted();
  return {
    async remember(moment) {
      remembered.set(moment, await list());
    },
    async addedSince(moment) {
      const before = new Set(remembered.get(moment));
      return (await list()).filter((one) => !before.has(one));
    },
  };
}

async function listByClients(cloud: CloudClients, clusterName: string): Promise<readonly string[]> {
  const { iam, lambda, s3, sqs, dynamo, ec2, eks, cloudWatch } = cloud;
  const named = (kind: string, names: readonly (string | undefined)[] = []): readonly string[] =>
    names.map((name) => `${kind} ${name}`);
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({}));
  const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
  const running = instances.filter(({ State }) => State?.Name !== 'terminated');
  const { MetricAlarms, CompositeAlarms } = await cloudWatch.send(new DescribeAlarmsCommand({}));
  return [
    named(
      'role',
      (await iam.send(new ListRolesCommand({}))).Roles?.map((one) => one.RoleName),
    ),
    named(
      'instance profile',
      (await iam.send(new ListInstanceProfilesCommand({}))).InstanceProfiles?.map((one) => one.InstanceProfileName),
    ),
    named(
      'policy',
      (await iam.send(new ListPoliciesCommand({ Scope: 'Local' }))).Policies?.map((one) => one.PolicyName),
    ),
    named(
      'function',
      (await lambda.send(new ListFunctionsCommand({}))).Functions?.map((one) => one.FunctionName),
    ),
    named(
      'event source mapping',
      (await lambda.send(new ListEventSourceMappingsCommand({}))).EventSourceMappings?.map((one) => one.UUID),
    ),
    named(
      'bucket',
      (await s3.send(new ListBucketsCommand({}))).Buckets?.map((one) => one.Name),
    ),
    named('queue', (await sqs.send(new ListQueuesCommand({}))).QueueUrls),
    named('table', (await dynamo.send(new ListTablesCommand({}))).TableNames),
    named(
      'alarm',
      [...(MetricAlarms ?? []), ...(CompositeAlarms ?? [])].map((one) => one.AlarmName),
    ),
    named(
      'instance',
      running.map((one) => one.InstanceId),
    ),
    named(
      'launch template',
      (await ec2.send(new DescribeLaunchTemplatesCommand({}))).LaunchTemplates?.map((one) => one.LaunchTemplateName),
    ),
    named(
      'volume',
      (await ec2.send(new DescribeVolumesCommand({}))).Volumes?.map((one) => one.VolumeId),
    ),
    named('access entry', (await eks.send(new ListAccessEntriesCommand({ clusterName }))).accessEntries),
  ].flat();
}

/** A kind of resource whose client the repository does not have. */
interface Untyped {
  readonly kind: string;
  readonly request: ReturnType<typeof getRequest>;
  readonly list: string;
  readonly name: string;
}

const UNTYPED: readonly Untyped[] = [
  {
    kind: 'schedule group',
    request: getRequest('scheduler', '/schedule-groups'),
    ...{ list: 'ScheduleGroups', name: 'Name' },
  },
  {
    kind: 'schedule',
    request: getRequest('scheduler', '/schedules'),
    ...{ list: 'Schedules', name: 'Name' },
  },
  {
    kind: 'log group',
    request: jsonRequest('logs', 'Logs_20140328.DescribeLogGroups'),
    ...{ list: 'logGroups', name: 'logGroupName' },
  },
  {
    kind: 'rule',
    request: jsonRequest('events', 'AWSEvents.ListRules'),
    ...{ list: 'Rules', name: 'Name' },
  },
  {
    kind: 'secret',
    request: jsonRequest('secretsmanager', 'secretsmanager.ListSecrets'),
    ...{ list: 'SecretList', name: 'Name' },
  },
  {
    kind: 'parameter',
    request: jsonRequest('ssm', 'AmazonSSM.DescribeParameters'),
    ...{ list: 'Parameters', name: 'Name' },
  },
];

async function listUntyped(emulator: Forward, { kind, request, list, name }: Untyped): Promise<readonly string[]> {
  const { status, body } = await emulator(request);
  if (status >= 300) throw new Error(`${kind}: ${status} ${body.toString()}`);
  return listAt(JSON.parse(body.toString()), list).map((one) => `${kind} ${textAt(one, name)}`);
}
