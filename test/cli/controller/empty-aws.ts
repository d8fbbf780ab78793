import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Environment } from '../start-process.ts';

const refusal = `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>
<Message>Stack with id Mortise-shop does not exist</Message></Error></ErrorResponse>`;

const NO_STACKS =
  '<DescribeStacksResponse><DescribeStacksResult><Stacks/></DescribeStacksResult></DescribeStacksResponse>';

/** An AWS endpoint without a stack or any other resource. */
export async function anEmptyAws(): Promise<Environment> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isList = body.includes('Action=DescribeStacks') && !body.includes('StackName=');
      response.writeHead(isList ? 200 : 400).end(isList ? NO_STACKS : refusal);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
    METRICS_PORT: '0',
    HEALTH_PROBE_PORT: '0',
  };
}
