import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Output,
} from '@aws-sdk/client-cloudformation';
import { stackName } from '../../infra/stack-name.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';
import { callAws } from './aws-problems.ts';

/** What a deployed stack has that a process can use as well. */
export interface DeployedStack {
  readonly name: string;
  readonly table: string;
  /** Of what clusters learn from each other; absent: the same. */
  readonly learnedTable?: string;
  readonly bucket: string;
  /** URL of the queue that EC2's notices go to. */
  readonly interruptionQueue: string;
}

/**
 * The stack that serves a cluster.
 *
 * @returns absent: there is none, or one of an older release that does not say what it has
 * @throws CliError - those of `callAws`
 */
export async function findStack(
  cluster: string,
  flags: AwsFlags,
): Promise<DeployedStack | undefined> {
  const formation = new CloudFormationClient(toClientSettings(flags));
  const name = stackName(cluster);
  const { Stacks = [] } = await callAws(
    `stack ${name}`,
    () => formation.send(new DescribeStacksCommand({ StackName: name })),
    { answer: (error) => (isStackMissing(error) ? { Stacks: [] } : undefined) },
  );
  const outputs = Stacks[0]?.Outputs ?? [];
  const table = findOutput(outputs, 'StateTable');
  const bucket = findOutput(outputs, 'SnapshotBucket');
  const interruptionQueue = findOutput(outputs, 'InterruptionQueue');
  if (table === undefined || bucket === undefined || interruptionQueue === undefined) {
    return undefined;
  }
  const learnedTable = findOutput(outputs, 'LearnedTable');
  return {
    name,
    table,
    bucket,
    interruptionQueue,
    ...(learnedTable !== undefined && { learnedTable }),
  };
}

/** CloudFormation has no error of its own for it. */
const isStackMissing = (error: Error): boolean =>
  error.name === 'ValidationError' && error.message.includes('does not exist');

const findOutput = (outputs: readonly Output[], key: string): string | undefined =>
  outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
