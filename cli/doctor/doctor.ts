import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { stackName } from '../../infra/stack-name.ts';
import { dynamoInstallations } from '../../shared/aws/dynamodb/installations.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { createCheckSources } from '../checks/check-sources.ts';
import { inOrder, runChecks } from '../checks/run-checks.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { findStack } from '../cluster/find-stack.ts';
import { type ClusterChoice, reachCluster } from '../cluster/reach-cluster.ts';
import type { Check, CheckGroup } from '../documents/doctor.ts';
import { EXIT } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { doctorText } from '../render/doctor.ts';
import { evaluateFacts } from './evaluate.ts';
import { readFacts } from './read-facts.ts';

export interface DoctorRequest extends ClusterChoice {
  readonly only?: CheckGroup;
  /** True if warnings give exit code 1 too. */
  readonly strict: boolean;
}

const clock = { now: () => Date.now() };

/**
 * Checks a cluster and what Mortise needs of its account. Changes nothing.
 *
 * @throws CliError - the cluster cannot be reached; what else cannot be read is part of the answer
 */
export async function doctor(request: DoctorRequest, invocation: Invocation): Promise<Answer> {
  const { cluster, checks } = await collectChecks(request, invocation);
  return answerOf(cluster, checks, request);
}

/** @throws CliError - the cluster cannot be reached */
export async function collectChecks(
  request: ClusterChoice,
  { io, progress }: Pick<Invocation, 'io' | 'progress'>,
): Promise<{ readonly cluster: string; readonly checks: readonly Check[] }> {
  progress.report('reaching the cluster');
  const { api, server } = await reachCluster(request, {
    clock,
    env: io.env,
    needsNodePools: false,
  });
  const { cluster, region } = server;
  const settings = toClientSettings({ ...request, region });
  const stack = await findStack(cluster, settings);
  progress.report('reading cluster and account');
  const facts = await readFacts({
    cluster,
    now: clock.now,
    api,
    eks: new EKSClient(settings),
    iam: new IAMClient(settings),
    lambda: new LambdaClient(settings),
    sqs: new SQSClient(settings),
    cloudFormation: new CloudFormationClient(settings),
    stackName: stack?.name,
    installations: stack && dynamoInstallations(dynamoTable(new DynamoDBClient(settings), { ...stack, cluster })),
  });
  const repair = 'value' in facts.repair ? facts.repair.value : undefined;
  const sources = createCheckSources({
    ...{ cluster, region, settings, env: io.env, stage: 'after' },
    stackName: stack?.name ?? stackName(cluster),
    options: {
      functionSubnets: repair?.subnets ?? [],
      keys: repair?.key === undefined ? [] : [repair.key],
      // Each EC2NodeClass has checks of its own.
      ...{ nodeRoles: [], volumeKeys: [], intakeConcurrency: 0 },
    },
  });
  return { cluster, checks: inOrder([...(await runChecks(sources)), ...evaluateFacts(facts)]) };
}

/** @returns an answer that is incomplete if a check could not be made */
export function answerOf(
  cluster: string,
  all: readonly Check[],
  { only, strict }: Pick<DoctorRequest, 'only' | 'strict'>,
): Answer {
  const checks = all.filter(({ group }) => only === undefined || group === only);
  const isNo = ({ status }: Check): boolean => status === 'fail' || (strict && status === 'warn');
  return wholeAnswer({
    kind: 'Doctor',
    source: { cluster },
    complete: checks.every(({ status }) => status !== 'unknown'),
    result: { checks },
    names: checks.map(({ id }) => `check/${id}`),
    text: (terminal) => doctorText(checks, terminal),
    ...(checks.some(isNo) && { exitCode: EXIT.answerIsNo }),
  });
}
