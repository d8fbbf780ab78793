import { setTimeout as sleep } from 'node:timers/promises';
import { createLimitedTable, type LimitedTable } from '../../../support/limits/limited-table.ts';
import { answerSafely } from '../../../support/limits/sdk-service.ts';
import { type Listening, serve } from '../../lab/forward.ts';

/** A typical answer time of DynamoDB within a region. */
const LATENCY_MS = 5;

export interface TableServer extends Listening {
  readonly url: string;
  readonly table: LimitedTable;
}

/** Serves a table with DynamoDB's limits on this machine; the local AWS never throttles. */
export async function startTableServer(): Promise<TableServer> {
  const timeline = { now: () => Date.now(), sleep: (ms: number) => sleep(ms) };
  const table = createLimitedTable({ timeline, latencyMs: LATENCY_MS });
  const listening = await serve(async ({ headers, body }) => {
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const [status, content] = await answerSafely(table.answer, operation, body.toString());
    const type = { 'content-type': 'application/x-amz-json-1.0' };
    return { status, headers: type, body: Buffer.from(JSON.stringify(content)) };
  });
  return { ...listening, url: `http://127.0.0.1:${listening.port}`, table };
}
