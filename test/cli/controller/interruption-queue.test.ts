import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readNotices } from '../../../cli/controller/interruption-queue.ts';
import type { InterruptionNotice } from '../../../shared/ports/work-queue.ts';
import { type LocalSqs, startSqs } from '../../aws/support/local-sqs.ts';
import { aLog, clock } from './controller-runtime-double.ts';

let sqs: LocalSqs;
beforeAll(async () => {
  sqs = await startSqs();
});
afterAll(() => sqs.stop());

const warning = (instance: string, at = new Date().toISOString()): string =>
  JSON.stringify({
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    time: at,
    detail: { 'instance-id': instance, 'instance-action': 'terminate' },
  });

/** A reader with a queue of its own; the first `fails` notices fail. */
async function aReader({ fails = 0, isOwner = (): boolean => true } = {}) {
  const { interruption: queue } = await sqs.createQueues();
  const answered: InterruptionNotice[] = [];
  const { log, lines } = aLog();
  let failuresLeft = fails;
  let deleted = 0;
  const stop = readNotices({
    sqs: sqs.client,
    queue,
    clock,
    log,
    isOwner,
    async onNotice(notice) {
      if (failuresLeft-- > 0) throw new Error('not now');
      answered.push(notice);
    },
    onDeleted: () => {
      deleted += 1;
    },
  });
  const send = (MessageBody: string) => sqs.client.send(new SendMessageCommand({ QueueUrl: queue, MessageBody }));
  return { answered, lines, send, stop, drain: () => sqs.drain(queue), deleted: () => deleted };
}

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 20 });

describe("the reader of EC2's notices", () => {
  it('handles each notice once', async () => {
    const { answered, send, stop } = await aReader();
    await send(warning('i-1'));

    await eventually(() => expect(answered).toHaveLength(1));
    expect(answered[0]).toMatchObject({ kind: 'spot-interruption', providerId: 'aws:////i-1' });
    await stop();
    expect(answered).toHaveLength(1);
  });

  it('deletes unreadable and stale messages and logs them', async () => {
    const { answered, lines, send, stop, deleted } = await aReader();
    await send('hello');
    await send(warning('i-1', '2020-01-01T00:00:00Z'));

    await eventually(() =>
      expect(lines.map(({ message }) => message).toSorted()).toEqual(['message ignored', 'notice too old']),
    );
    await eventually(() => expect(deleted()).toBe(2));
    await stop();
    expect(answered).toEqual([]);
  });

  it('leaves notices to the owner while on stand-by', async () => {
    const { answered, send, stop, drain } = await aReader({ isOwner: () => false });
    await send(JSON.stringify({ topic: 'interruption', notice: NOTICE }));
    await stop();

    expect(answered).toEqual([]);
    expect(await drain()).toEqual([{ topic: 'interruption', notice: NOTICE }]);
  });

  it('keeps reading after a notice has failed', async () => {
    const { answered, lines, send, stop } = await aReader({ fails: 1 });
    await send(warning('i-1'));
    await eventually(() => expect(lines).toHaveLength(1));
    await send(warning('i-2'));

    await eventually(() => expect(answered).toHaveLength(1));
    await stop();
  });
});

const NOTICE: InterruptionNotice = { kind: 'spot-interruption', providerId: 'aws:////i-1', at: 1 };
