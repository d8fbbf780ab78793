import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createTimeLimit } from '../../functions/support/time-limit.ts';

const aContext = (remainingMs: number): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'sweep',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:sweep',
  memoryLimitInMB: '512',
  awsRequestId: 'request',
  logGroupName: 'group',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => remainingMs,
  done: () => {},
  fail: () => {},
  succeed: () => {},
});

describe('the time limit of a function', () => {
  it('is that of the invocation that runs, and has no end between invocations', async () => {
    const limit = createTimeLimit();
    const handler = middy()
      .use(limit)
      .handler(async () => limit.timeLeft());

    expect(await handler({}, aContext(4_000))).toBe(4_000);
    expect(limit.timeLeft()).toBe(Number.POSITIVE_INFINITY);
    expect(await handler({}, aContext(60_000))).toBe(60_000);
  });

  it('ends with an invocation that failed', async () => {
    const limit = createTimeLimit();
    const handler = middy()
      .use(limit)
      .handler(async () => {
        throw new Error('the table is away');
      });

    await expect(handler({}, aContext(4_000))).rejects.toThrow('the table is away');
    expect(limit.timeLeft()).toBe(Number.POSITIVE_INFINITY);
  });
});
