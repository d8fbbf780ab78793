import { once } from 'node:events';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';

export interface LocalDynamo {
  readonly client: DynamoDBClient;
  /**
   * @returns the name of a new, empty table with our keys
   */
  createTable(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts DynamoDB on the loopback interface, in this process. */
export async function startDynamo(): Promise<LocalDynamo> {
  const server = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port on the loopback');
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${address.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  let tables = 0;

  return {
    client,
    async createTable() {
      tables += 1;
      const TableName = `mortise-${tables}`;
      await client.send(new CreateTableCommand(tableNamed(TableName)));
      await untilActive(client, TableName);
      return TableName;
    },
    async stop() {
      client.destroy();
      server.close();
    },
  };
}

/** A table that is being created refuses requests, as in AWS. */
async function untilActive(client: DynamoDBClient, TableName: string): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
}

const tableNamed = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
});
