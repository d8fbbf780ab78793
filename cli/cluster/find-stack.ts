import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Output,
} from '@aws-sdk/client-cloudformation';
import { stackName } from '../../infra/stack-name.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';
import { callAws } from './aws-problems.ts';

/** Resources of a deployed stack that `mortise controller` uses as well. */
export interface DeployedStack {
  readonly name: string;
  readonly table: string;
  /** The table of learned facts that clusters share; undefined for the state table. */
  readonly learnedTable?: string;
  readonly bucket: string;
  /** URL of the queue that receives EC2's events. */
  readonly interruptionQueue: string;
}

/**
 * Finds the stack that serves a cluster.
 *
 * @returns undefined if there is none, or one of an older release without these outputs
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

/** CloudFormation has no error type for a missing stack. */
const isStackMissing = (error: Error): boolean =>
  error.name === 'ValidationError' && error.message.includes('does not exist');

const findOutput = (outputs: readonly Output[], key: string): string | undefined =>
  outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
