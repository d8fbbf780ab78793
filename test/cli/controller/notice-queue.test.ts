import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNoticeQueue } from '../../../cli/controller/notice-queue.ts';
import { type LocalSqs, startSqs } from '../../aws/support/local-sqs.ts';

const OF_STACK = 'https://sqs.eu-west-1.amazonaws.com/123456789012/stack';

let sqs: LocalSqs;
beforeAll(async () => {
  sqs = await startSqs();
});
afterAll(() => sqs.stop());

const find = (INTERRUPTION_QUEUE: string | undefined, ofStack?: string) =>
  findNoticeQueue({ INTERRUPTION_QUEUE }, ofStack, sqs.client);

describe('the queue of a controller', () => {
  it('is that of the stack, if the environment names none', async () => {
    expect(await find(undefined, OF_STACK)).toBe(OF_STACK);
    expect(await find('', OF_STACK)).toBe(OF_STACK);
    expect(await find(undefined)).toBeUndefined();
  });

  it('is INTERRUPTION_QUEUE by its name, as Karpenter reads it', async () => {
    const { interruption } = await sqs.createQueues();
    const name = interruption.split('/').at(-1);

    // The local SQS gives its queues another host when they are found by name.
    expect(await find(name, OF_STACK)).toMatch(new RegExp(`/${name}$`));
  });

  it('is INTERRUPTION_QUEUE by its URL', async () => {
    expect(await find(OF_STACK)).toBe(OF_STACK);
  });

  it('must exist', async () => {
    await expect(find('absent')).rejects.toMatchObject({
      problems: [{ code: 'not-found', what: 'no queue absent', where: 'INTERRUPTION_QUEUE' }],
    });
  });
});
