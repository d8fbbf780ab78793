import { createServer } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { LAUNCHING, QUICK } from '../../functions/support/patience.ts';
import { answeredBy } from '../../shared/controllers/launch-record.ts';

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

describe('a call to AWS', () => {
  it('that nobody answers ends, and does not only say that it is late', async () => {
    await withSilentServer(async (endpoint) => {
      const client = new DynamoDBClient({
        endpoint,
        region: 'us-east-1',
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        maxAttempts: 1,
        requestHandler: { ...QUICK.requestHandler, requestTimeout: 50 },
      });

      await expect(client.send(new ListTablesCommand({}))).rejects.toThrow(/timeout/i);
    });
  });

  it('to launch is over before others take it for dead', () => {
    const { maxAttempts, requestHandler } = LAUNCHING;
    const most = maxAttempts * (requestHandler.connectionTimeout + requestHandler.requestTimeout);

    const calledAt = 0;
    expect(most).toBeLessThan(
      answeredBy({ id: 'p-1', attempt: 1, claims: [], launches: {}, calledAt }),
    );
  });
});
