import { CreateStackCommand, DeleteStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { outputDescription, stackName } from '../../../../infra/stack-name.ts';
import { dynamoPoolBackoffs } from '../../../../shared/aws/dynamodb/learned-state.ts';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { createAccount } from '../../lab/aws/account.ts';
import { type CloudClients, createCloudClients } from '../../lab/aws/cloud-clients.ts';
import { CREDENTIALS, type EmulatorParts, startMinistack, startMoto } from '../../lab/aws/emulators.ts';
import { addPublicParameters } from '../../lab/aws/public-parameters.ts';
import { forwardTo, serve } from '../../lab/forward.ts';
import { freePort } from '../../lab/free-port.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { ZONES } from './objects.ts';

export const CLUSTER = 'shop';

export interface ExplainAccount {
  readonly cloud: CloudClients;
  /** How the command finds the emulators. */
  readonly environment: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

/** Starts EC2 with a network, and the records of a stack without its functions. */
export async function startExplainAccount(parts: EmulatorParts, apiServerPort: number): Promise<ExplainAccount> {
  const [motoPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const [moto] = await Promise.all([
    startMoto(parts, motoPort),
    startMinistack(parts, { port, endpoints: {}, nodeFolder: '', apiServerPort }),
  ]);
  const cloud = createCloudClients(moto.url, url);
  const [parameters] = await Promise.all([
    addPublicParameters(cloud, forwardTo(url)).then((answer) => serve(answer)),
    createAccount(cloud, CLUSTER),
    createStack(cloud),
  ]);
  return {
    cloud,
    environment: {
      ...CREDENTIALS,
      AWS_ENDPOINT_URL: url,
      AWS_ENDPOINT_URL_EC2: moto.url,
      AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${parameters.port}`,
    },
    end: parameters.end,
  };
}

/** Deletes the stack: then no record of ours exists. */
export async function deleteStack({ cloudFormation }: CloudClients): Promise<void> {
  const StackName = stackName(CLUSTER);
  await cloudFormation.send(new DeleteStackCommand({ StackName }));
  await waitUntil('the stack to be gone', async () => {
    const stacks = await cloudFormation.send(new DescribeStacksCommand({ StackName })).catch(() => ({ Stacks: [] }));
    return (stacks.Stacks ?? []).every(({ StackStatus }) => StackStatus === 'DELETE_COMPLETE');
  });
}

const TABLE = 'explain-state';

/** The stack has a table, a bucket and a queue: the command finds it by its outputs. */
async function createStack({ cloudFormation }: CloudClients): Promise<void> {
  const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });
  const output = (name: string, Value: unknown) => ({
    [name]: { Description: outputDescription(name, CLUSTER), Value },
  });
  const template = {
    Resources: {
      State: {
        Type: 'AWS::DynamoDB::Table',
        Properties: {
          TableName: TABLE,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({
            AttributeName,
            AttributeType: 'S',
          })),
          KeySchema: [key('pk', 'HASH'), key('sk', 'RANGE')],
        },
      },
      Record: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'explain-record' } },
      Notices: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'explain-notices' } },
    },
    Outputs: {
      ...output('StateTable', { Ref: 'State' }),
      ...output('SnapshotBucket', { Ref: 'Record' }),
      ...output('InterruptionQueue', { Ref: 'Notices' }),
    },
  };
  const StackName = stackName(CLUSTER);
  const TemplateBody = JSON.stringify(template);
  await cloudFormation.send(new CreateStackCommand({ StackName, TemplateBody }));
  await waitUntil('the stack of records', async () => {
    const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    return Stacks[0]?.StackStatus === 'CREATE_COMPLETE';
  });
}

/**
 * Writes what the functions would have found out: no capacity for some minutes, and a replacement of a
 * drifted node that did not come up.
 *
 * @param restsUntil - when the drifted node is tried again
 */
export async function writeRecords({ dynamo }: Pick<CloudClients, 'dynamo'>, restsUntil: number): Promise<void> {
  const table = dynamoTable(dynamo, { table: TABLE, cluster: CLUSTER });
  const now = Date.now();
  await dynamoUnavailableOfferings(table).mark(
    ZONES.map((zone) => ({ instanceType: 'm5.large', zone, capacityType: 'on-demand' as const })),
    now,
  );
  await dynamoPoolBackoffs(table).save('drift', {
    ...{ pool: 'drift-waiting', failures: 1, failedAt: now, until: restsUntil },
  });
}
