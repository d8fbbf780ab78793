import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { paginateListTables } from '@aws-sdk/client-dynamodb';
import { paginateListAccessEntries } from '@aws-sdk/client-eks';
import { isStackMissing } from '../cluster/find-stack.ts';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export const STACK_CHECKS: readonly AccountCheck[] = [
  {
    ...{ group: 'stack', name: 'state', stages: ['before'] },
    rights: ['cloudformation:DescribeStacks'],
    async find(sources) {
      const { stackName } = sources;
      const status = await readStatus(sources);
      if (status === undefined) return [ok(`no stack ${stackName}`)];
      const about = `${stackName} is ${status}`;
      if (status.endsWith('_IN_PROGRESS')) {
        return [fail(`${about}: CloudFormation changes it`, 'wait until it has finished')];
      }
      if (status === 'DELETE_FAILED' || status === 'ROLLBACK_FAILED') {
        const fix = `aws cloudformation delete-stack --stack-name ${stackName}; its events name what it could not delete`;
        return [fail(`${about}: it can only be deleted`, fix)];
      }
      if (status === 'UPDATE_ROLLBACK_FAILED') {
        const fix = `aws cloudformation continue-update-rollback --stack-name ${stackName}`;
        return [fail(`${about}: it cannot be updated`, fix)];
      }
      if (status === 'ROLLBACK_COMPLETE') {
        return [
          warn(
            `${about}: the first deployment failed, and the CDK removes it first`,
            'its events name the cause',
          ),
        ];
      }
      return [ok(about)];
    },
  },
  {
    ...{ group: 'stack', name: 'left-overs', stages: ['before'] },
    rights: ['dynamodb:ListTables', 'eks:ListAccessEntries'],
    async find(sources) {
      if ((await readStatus(sources)) !== undefined) return [];
      const [tables, roles] = await Promise.all([listTables(sources), listNodeRoles(sources)]);
      return [...tables, ...roles];
    },
  },
];

async function readStatus({
  cloudFormation,
  stackName,
}: CheckSources): Promise<string | undefined> {
  try {
    const command = new DescribeStacksCommand({ StackName: stackName });
    return (await cloudFormation.send(command)).Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (error instanceof Error && isStackMissing(error)) return undefined;
    throw error;
  }
}

/** A table outlives its stack, with its rows and its deletion protection. */
async function listTables({ dynamo, stackName }: CheckSources): Promise<readonly Finding[]> {
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client: dynamo }, {})) {
    names.push(...TableNames.filter((name) => name.startsWith(`${stackName}-`)));
  }
  return names.map((name) =>
    warn(
      `the table ${name} of an earlier stack remains; the new one has a table of its own`,
      `aws dynamodb update-table --table-name ${name} --no-deletion-protection-enabled, then delete-table, unless you need its records`,
    ),
  );
}

/** A node role outlives its stack while nodes use it. */
async function listNodeRoles({ eks, cluster }: CheckSources): Promise<readonly Finding[]> {
  const arns: string[] = [];
  const pages = paginateListAccessEntries({ client: eks }, { clusterName: cluster });
  for await (const { accessEntries = [] } of pages) arns.push(...accessEntries);
  return arns
    .map((arn) => arn.split('/').at(-1) ?? '')
    .filter((name) => name.startsWith(`MortiseNode-${cluster}-`))
    .map((name) =>
      warn(
        `the node role ${name} of an earlier stack remains with its access entry`,
        'none while nodes or an EC2NodeClass use it: the new stack has a role of its own, and lets nodes keep this one',
      ),
    );
}
