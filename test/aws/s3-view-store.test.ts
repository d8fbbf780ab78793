import { HeadObjectCommand, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import type { LogLine } from '../../shared/aws/log.ts';
import { s3ViewStore } from '../../shared/aws/s3-view-store.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { StoredView } from '../../shared/ports/view-store.ts';
import { aNode, aPod } from '../support/builders.ts';
import { startS3 } from './support/local-s3.ts';

const s3 = await startS3();
afterAll(() => s3.stop());

/** S3 stamps objects with its own clock. */
const NOW = Date.now();

const aView = (podName = 'a'): StoredView => ({
  takenAt: NOW,
  pods: {
    resourceVersion: '9',
    objects: [{ version: '7', value: { pod: aPod({ name: podName }) } }],
    unreadable: [],
  },
  nodes: { resourceVersion: '9', objects: [{ version: '3', value: aNode() }], unreadable: [] },
  lastPodEventAt: {},
});

async function aBucket() {
  const lines: LogLine[] = [];
  const bucket = await s3.createBucket();
  const open = (certificateAuthority = 'CA', release = '1') =>
    s3ViewStore(s3.client, {
      bucket,
      certificateAuthority,
      release,
      log: (line) => lines.push(line),
    });
  return { bucket, lines, open };
}

const aSave = (take: () => StoredView) => ({ minIntervalMs: 90_000, take });

const messagesOf = (lines: readonly LogLine[]) => lines.map(({ message }) => message);

describe('the view in the bucket', () => {
  it('is loaded by another process', async () => {
    const { open, lines } = await aBucket();
    await open().save(
      NOW,
      aSave(() => aView()),
    );
    expect(await open().load(NOW - MINUTE_MS)).toEqual(aView());
    expect(lines).toEqual([]);
  });

  it('is absent without an error', async () => {
    const { open, lines } = await aBucket();
    expect(await open().load(NOW)).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it('is not loaded if it is too old, of another cluster or of another release', async () => {
    const { open } = await aBucket();
    await open().save(
      NOW,
      aSave(() => aView()),
    );
    expect(await open().load(NOW + 1)).toBeUndefined();
    expect(await open('another CA').load(NOW - 1)).toBeUndefined();
    expect(await open('CA', '2').load(NOW - 1)).toBeUndefined();
  });

  it('is not even taken if another process stored one recently', async () => {
    const { open } = await aBucket();
    await open().save(
      NOW,
      aSave(() => aView()),
    );
    let taken = 0;
    const take = (): StoredView => {
      taken += 1;
      return aView('b');
    };
    await open().save(NOW + MINUTE_MS, aSave(take));
    expect(taken).toBe(0);
    await open().save(NOW + 5 * MINUTE_MS, aSave(take));
    expect(taken).toBe(1);
    expect(await open().load(NOW - 1)).toEqual(aView('b'));
  });

  it('is only replaced as it was seen, and kept if another process was faster', async () => {
    const lines: LogLine[] = [];
    const client = new S3Client({ region: 'us-east-1' });
    const mock = mockClient(client);
    mock.on(HeadObjectCommand).resolves({ ETag: '"seen"', LastModified: new Date(0) });
    const $metadata = { httpStatusCode: 412 };
    mock
      .on(PutObjectCommand)
      .rejects(new S3ServiceException({ name: 'PreconditionFailed', $fault: 'client', $metadata }));
    const store = s3ViewStore(client, {
      bucket: 'bucket',
      certificateAuthority: 'CA',
      release: '1',
      log: (line) => lines.push(line),
    });
    await store.save(
      NOW,
      aSave(() => aView()),
    );

    expect(mock.commandCalls(PutObjectCommand)[0]?.args[0].input.IfMatch).toBe('"seen"');
    expect(lines).toEqual([]);
  });

  it('is left alone and logged if it is damaged', async () => {
    const { open, lines, bucket } = await aBucket();
    await open().save(
      NOW,
      aSave(() => aView()),
    );
    const [Key = ''] = await s3.keys(bucket);
    await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'no gzip' }));
    expect(await open().load(NOW - 1)).toBeUndefined();
    expect(messagesOf(lines)).toEqual(['view not loaded']);
  });

  it('costs nothing but a log line if it cannot be stored', async () => {
    const { lines } = await aBucket();
    const store = s3ViewStore(s3.client, {
      bucket: 'missing',
      certificateAuthority: 'CA',
      release: '1',
      log: (line) => lines.push(line),
    });
    await store.save(
      NOW,
      aSave(() => aView()),
    );
    expect(messagesOf(lines)).toEqual(['view not stored']);
  });
});
