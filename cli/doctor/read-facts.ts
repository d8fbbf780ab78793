import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { DescribeAccessEntryCommand, DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { GetRoleCommand, type IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { EC2_NODE_CLASSES, NODE_POOLS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readKarpenterRenewal, readQuietEnd, readUninstallEnd } from '../../shared/kubernetes/kubernetes-ownership.ts';
import { readHooks } from '../../shared/kubernetes/setup/place-hooks.ts';
import type { Installations } from '../../shared/ports/cluster-setup.ts';
import { orUndefined } from '../checks/account-checks.ts';
import { type Fact, toFact } from '../checks/finding.ts';
import { callAws } from '../cluster/aws-problems.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import type { Facts, NodeRoleFacts, QueueFacts, RepairFacts } from './facts.ts';
import { readLiveNodes } from './live-nodes.ts';
import { type LiveObject, listObjects, readCrds, toObjectFacts } from './read-object-facts.ts';

/** The services that the checks read. */
export interface DoctorSources {
  readonly cluster: string;
  readonly now: () => number;
  readonly api: KubernetesApi;
  readonly eks: EKSClient;
  readonly iam: IAMClient;
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
  readonly cloudFormation: CloudFormationClient;
  /** Undefined if the cluster has none. */
  readonly stackName: string | undefined;
  /** Undefined without a stack. */
  readonly installations: Pick<Installations, 'find'> | undefined;
}

/** Reads all facts at once. What cannot be read is named in its fact. */
export async function readFacts(sources: DoctorSources): Promise<Facts> {
  const { cluster, now, api, stackName, installations } = sources;
  const inCluster = <T>(ask: () => Promise<T>): Promise<Fact<T>> => toFact(() => callCluster('API server', ask));
  const inAws = <T>(service: string, ask: () => Promise<T>): Promise<Fact<T>> => toFact(() => callAws(service, ask));

  const classes = inCluster(() => listObjects(api, EC2_NODE_CLASSES));
  const eksCluster = inAws('EKS', () => readCluster(sources));
  const resources = inAws('CloudFormation', () => listResources(sources, stackName));
  const [nodeClasses, ...facts] = await Promise.all([
    classes,
    eksCluster,
    inCluster(() => readCrds(api)),
    inAws('CloudFormation', () => readStack(sources, stackName)),
    inAws('DynamoDB', async () => await installations?.find()),
    inCluster(() => readHooks(api)),
    resources.then((read) => ('unread' in read ? read : inAws('Lambda', () => readRepair(sources, read.value)))),
    resources.then((read) => ('unread' in read ? read : inAws('SQS', () => readQueues(sources, read.value)))),
    Promise.all([classes, eksCluster]).then(([read, eksRead]) => {
      const isIpv6 = 'value' in eksRead && eksRead.value.isIpv6;
      return 'unread' in read ? read : inAws('EKS', () => readNodeRoles(sources, read.value, isIpv6));
    }),
    inCluster(() => listObjects(api, NODE_POOLS)),
    inCluster(() => readKarpenterRenewal(api)),
    inCluster(() => readUninstallEnd(api, now())),
    inCluster(() => readQuietEnd(api, now())),
    inCluster(() => readLiveNodes(api, now())),
  ]);
  const [eks, crds, stack, installation, hooks, repair, queues, ...rest] = facts;
  const [nodeRoles, nodePools, karpenterRenewedAt, uninstalledUntil, quietUntil, liveNodes] = rest;
  const version = 'unread' in eks ? undefined : eks.value.version;
  return {
    cluster,
    now: now(),
    ...{ eks, crds, stack, installation, hooks, repair, queues },
    ...{ nodeRoles, karpenterRenewedAt, uninstalledUntil, quietUntil, liveNodes },
    nodeClasses: factsOf('EC2NodeClass', nodeClasses, version),
    nodePools: factsOf('NodePool', nodePools, version),
  };
}

const factsOf = (
  kind: 'EC2NodeClass' | 'NodePool',
  read: Fact<readonly LiveObject[]>,
  version: string | undefined,
): Facts['nodeClasses'] =>
  'unread' in read ? read : { value: read.value.map((object) => toObjectFacts(kind, object, version)) };

async function readCluster({ eks, cluster: name }: DoctorSources) {
  const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
  return {
    version: cluster?.version ?? '',
    isIpv6: cluster?.kubernetesNetworkConfig?.ipFamily === 'ipv6',
    // The SDK measures it by the time in the answers of AWS.
    clockSkewMs: eks.config.systemClockOffset,
  };
}

async function readStack({ cloudFormation }: DoctorSources, name: string | undefined) {
  if (name === undefined) return undefined;
  const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
  return stack && { name, status: stack.StackStatus ?? '' };
}

/** DescribeStackResources returns the first 100 resources only, and the stack has more. */
async function listResources(
  { cloudFormation: client }: DoctorSources,
  StackName: string | undefined,
): Promise<readonly StackResourceSummary[]> {
  if (StackName === undefined) return [];
  const resources: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    resources.push(...(page.StackResourceSummaries ?? []));
  }
  return resources;
}

const QUEUE_TYPE = 'AWS::SQS::Queue';
const FUNCTION_TYPE = 'AWS::Lambda::Function';

/** SQS names the error differently in its two protocols. */
const MISSING_QUEUE = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];

const readQueues = (
  { sqs }: DoctorSources,
  resources: readonly StackResourceSummary[],
): Promise<readonly QueueFacts[]> =>
  Promise.all(
    resources
      .filter(({ ResourceType }) => ResourceType === QUEUE_TYPE)
      .map(async ({ LogicalResourceId: name = '', PhysicalResourceId: QueueUrl = '' }) => {
        const queue = { name, isDeadLetters: name.includes('DeadLetters') };
        const messages = await orUndefined(MISSING_QUEUE, async () => {
          const { Attributes = {} } = await sqs.send(
            new GetQueueAttributesCommand({
              QueueUrl,
              AttributeNames: ['ApproximateNumberOfMessages'],
            }),
          );
          return Number(Attributes.ApproximateNumberOfMessages ?? 0);
        });
        return messages === undefined ? queue : { ...queue, messages };
      }),
  );

const controlSchema = z.object({
  CLUSTER_NAME: z.string(),
  HOOK_ADDRESS: z.string().optional(),
  SETUP_FUNCTION: z.string(),
});

/** A stack can serve several clusters; the environment of a function names its own. */
async function readRepair(
  { lambda, cluster }: DoctorSources,
  resources: readonly StackResourceSummary[],
): Promise<RepairFacts | undefined> {
  const names = resources.flatMap(({ ResourceType, LogicalResourceId, PhysicalResourceId }) =>
    ResourceType === FUNCTION_TYPE && LogicalResourceId?.includes('WebhookControl') ? [PhysicalResourceId ?? ''] : [],
  );
  for (const webhookControl of names) {
    const { Environment, VpcConfig, KMSKeyArn } =
      (await orUndefined(['ResourceNotFoundException'], () =>
        lambda.send(new GetFunctionConfigurationCommand({ FunctionName: webhookControl })),
      )) ?? {};
    const { data } = controlSchema.safeParse(Environment?.Variables);
    if (data?.CLUSTER_NAME !== cluster) continue;
    const { SETUP_FUNCTION: setup, HOOK_ADDRESS: hookAddress } = data;
    return {
      ...{ webhookControl, setup, subnets: VpcConfig?.SubnetIds ?? [] },
      ...(hookAddress !== undefined && { hookAddress }),
      ...(KMSKeyArn !== undefined && { key: KMSKeyArn }),
    };
  }
  return undefined;
}

async function findRoleArn({ iam }: DoctorSources, name: string): Promise<string | undefined> {
  return await orUndefined(['NoSuchEntityException', 'NoSuchEntity'], async () => {
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: name }));
    return Role?.Arn;
  });
}

async function readNodeRoles(
  sources: DoctorSources,
  classes: readonly LiveObject[],
  isIpv6: boolean,
): Promise<readonly NodeRoleFacts[]> {
  const byRole = Map.groupBy(
    classes.filter(({ spec }) => spec.role !== undefined),
    ({ spec }) => spec.role ?? '',
  );
  return await Promise.all(
    [...byRole].map(async ([name, users]) => {
      const facts = { name, classes: users.map(({ metadata }) => metadata.name) };
      const arn = await findRoleArn(sources, name);
      if (arn === undefined) return facts;
      const entryType = await findEntryType(sources, arn);
      return {
        ...{ ...facts, arn },
        ...(entryType !== undefined && { entryType }),
        ...(isIpv6 && { mayAssignIpv6: await mayDo(sources, arn, 'ec2:AssignIpv6Addresses') }),
      };
    }),
  );
}

const findEntryType = ({ eks, cluster }: DoctorSources, principalArn: string): Promise<string | undefined> =>
  orUndefined(['ResourceNotFoundException'], async () => {
    const command = new DescribeAccessEntryCommand({ clusterName: cluster, principalArn });
    const { accessEntry } = await eks.send(command);
    return accessEntry?.type;
  });

/** Asks IAM whether the policies of a role allow an action on every resource. */
async function mayDo({ iam }: DoctorSources, role: string, action: string): Promise<boolean> {
  const command = { PolicySourceArn: role, ActionNames: [action] };
  const { EvaluationResults = [] } = await iam.send(new SimulatePrincipalPolicyCommand(command));
  return EvaluationResults.every(({ EvalDecision }) => EvalDecision === 'allowed');
}
