import {
  CloudFormationClient,
  DescribeStacksCommand,
  type DescribeStacksCommandOutput,
  type Output,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { outputDescription, stackName } from '../../infra/stack-name.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';
import { callAws, isNamed } from './aws-problems.ts';

/** Resources of a deployed stack that `mortise controller` uses as well. */
export interface DeployedStack {
  readonly name: string;
  readonly table: string;
  /** The table of learned facts that clusters share; undefined for the state table. */
  readonly learnedTable?: string;
  readonly bucket: string;
  /** True if records have hashes in the place of names. */
  readonly redactsNames?: true;
  /** URL of the queue that receives EC2's events. */
  readonly interruptionQueue: string;
  /** Its ARN. */
  readonly id: string;
  /** ARNs of the customer keys of table, bucket and queue, and of the shared table. */
  readonly keys: readonly string[];
}

/**
 * Finds the stack that serves a cluster.
 *
 * @returns undefined if there is none, or one of an older release without these outputs
 * @throws CliError - those of `callAws`
 */
export async function findStack(cluster: string, flags: AwsFlags): Promise<DeployedStack | undefined> {
  const formation = new CloudFormationClient(toClientSettings(flags));
  const name = stackName(cluster);
  const { Stacks: ofThatName = [] } = await callAws(
    `stack ${name}`,
    () => formation.send(new DescribeStacksCommand({ StackName: name })),
    { answer: (error) => (isStackMissing(error) ? { Stacks: [] } : undefined) },
  );
  return (
    ofThatName.map((stack) => readStack(stack, cluster)).find((stack) => stack !== undefined) ??
    (await searchStacks(formation, cluster))
  );
}

/** The construct `Mortise` may be in a stack of any name. */
async function searchStacks(formation: CloudFormationClient, cluster: string): Promise<DeployedStack | undefined> {
  let NextToken: string | undefined;
  do {
    const page: Pick<DescribeStacksCommandOutput, 'Stacks' | 'NextToken'> = await callAws(
      'stacks',
      () => formation.send(new DescribeStacksCommand({ NextToken })),
      // Roles of older releases may describe the stack of the default name only.
      { answer: (error) => (isNamed(error, 'AccessDenied') ? { Stacks: [] } : undefined) },
    );
    for (const stack of page.Stacks ?? []) {
      const deployed = readStack(stack, cluster);
      if (deployed) return deployed;
    }
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  return undefined;
}

function readStack(
  { StackName: name, StackId: id, Outputs: outputs = [] }: Stack,
  cluster: string,
): DeployedStack | undefined {
  const find = (key: string): string | undefined => findOutput(outputs, key, cluster);
  const table = find('StateTable');
  const bucket = find('SnapshotBucket');
  const interruptionQueue = find('InterruptionQueue');
  if (
    name === undefined ||
    table === undefined ||
    bucket === undefined ||
    interruptionQueue === undefined ||
    id === undefined
  ) {
    return undefined;
  }
  const learnedTable = find('LearnedTable');
  return {
    name,
    table,
    bucket,
    interruptionQueue,
    id,
    keys: ['KmsKey', 'LearnedTableKey'].flatMap((key) => find(key) ?? []),
    ...(find('RedactNames') === 'true' && { redactsNames: true as const }),
    ...(learnedTable !== undefined && { learnedTable }),
  };
}

/** CloudFormation has no error type for a missing stack. */
export const isStackMissing = (error: Error): boolean =>
  error.name === 'ValidationError' && error.message.includes('does not exist');

const findOutput = (outputs: readonly Output[], name: string, cluster: string): string | undefined =>
  outputs.find(({ Description }) => Description === outputDescription(name, cluster))?.OutputValue;
