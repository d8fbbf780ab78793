import { createServer } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { LAUNCH_TIMEOUTS, SHORT_TIMEOUTS } from '../../functions/support/client-timeouts.ts';
import { ANSWER_MS } from '../../functions/support/cloud-formation/answer-cloud-formation.ts';
import { PUT_TIMEOUTS, putAnswer } from '../../functions/support/cloud-formation/put-answer.ts';
import { MAX_WAIT_MS } from '../../shared/aws/ec2/call-budget.ts';
import { computeCallDeadline } from '../../shared/controllers/launch/launch-record.ts';
import { SECOND_MS } from '../../shared/model/time.ts';

async function withSilentServer(work: (endpoint: string) => Promise<void>): Promise<void> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    await work(`http://127.0.0.1:${port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

describe('the answer to CloudFormation', () => {
  it('is sent again within the reserved time if S3 does not accept it', async () => {
    await withSilentServer(async (url) => {
      await expect(putAnswer(url, '{}', { answerMs: 20, pauseMs: 1 })).rejects.toThrow(/timeout/i);
    });
    const { answerMs, pauseMs } = PUT_TIMEOUTS;
    expect(3 * answerMs + 2 * pauseMs).toBeLessThan(ANSWER_MS);
  });
});

describe('a call to AWS', () => {
  it('ends with an error if AWS does not answer, instead of only logging a timeout', async () => {
    await withSilentServer(async (endpoint) => {
      const client = new DynamoDBClient({
        endpoint,
        region: 'us-east-1',
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        maxAttempts: 1,
        requestHandler: { ...SHORT_TIMEOUTS.requestHandler, requestTimeout: 50 },
      });

      await expect(client.send(new ListTablesCommand({}))).rejects.toThrow(/timeout/i);
    });
  });

  it('to launch ends before the launch counts as dead, whatever delays it', () => {
    const { maxAttempts, requestHandler } = LAUNCH_TIMEOUTS;
    const { connectionTimeout, requestTimeout } = requestHandler;
    // After the first attempt the SDK pauses for at most a second.
    const maxMs = maxAttempts * (MAX_WAIT_MS + connectionTimeout + requestTimeout) + SECOND_MS;

    const calledAt = 0;
    expect(maxMs).toBeLessThan(computeCallDeadline({ id: 'p-1', attempt: 1, claims: [], launches: {}, calledAt }));
  });
});
