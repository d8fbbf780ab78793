import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { s3PriceRecordStore } from '../../shared/aws/ec2/prices/s3-price-record-store.ts';
import type { LogLine } from '../../shared/aws/log.ts';
import { findAbsence } from '../../shared/aws/s3-absence.ts';
import { s3RecordSource } from '../../shared/aws/s3-record-source.ts';
import { s3ViewStore } from '../../shared/aws/s3-view-store.ts';
import { NOON } from '../support/builders.ts';

const client = new S3Client({ region: 'us-east-1', maxAttempts: 1 });
const s3 = mockClient(client);
beforeEach(() => void s3.reset());

const s3Error = (httpStatusCode: number, name: string, message = '') =>
  new S3ServiceException({ name, message, $fault: 'client', $metadata: { httpStatusCode } });

const denied = (right: string) =>
  s3Error(
    403,
    'AccessDenied',
    `User: arn:aws:sts::111122223333:assumed-role/fn/fn is not authorized to perform: ${right} on resource: "arn" because no identity-based policy allows the ${right} action`,
  );

/** Answers of S3 to a role that may read the object, but not list the bucket. */
const ABSENT = denied('s3:ListBucket');
const SHORT = s3Error(403, 'AccessDenied', 'Access Denied');
/** An answer to HeadObject, which has no body. */
const HEAD = s3Error(403, '403');

describe('an error of S3', () => {
  it.each([
    [s3Error(404, 'NoSuchKey'), 'absent'],
    [new NoSuchKey({ message: '', $metadata: { httpStatusCode: 404 } }), 'absent'],
    [s3Error(404, 'NotFound'), 'absent'],
    [ABSENT, 'absent'],
    [SHORT, 'absent-or-denied'],
    [HEAD, 'absent-or-denied'],
    [denied('s3:GetObject'), undefined],
    [denied('kms:Decrypt'), undefined],
    [s3Error(404, 'NoSuchBucket'), undefined],
    [s3Error(403, 'SignatureDoesNotMatch'), undefined],
    [s3Error(503, 'SlowDown'), undefined],
    [new Error('socket hang up'), undefined],
  ])('tells whether the object exists: %s', (error, absence) => {
    expect(findAbsence(error)).toBe(absence);
  });
});

describe('the price record', () => {
  const store = () => s3PriceRecordStore(client, 'bucket');
  const RECORD = { at: NOON, zones: {}, newer: [], onDemandUsd: {}, spotUsd: {} };

  it.each([[ABSENT], [SHORT]])('is absent before it is first written: %s', async (error) => {
    s3.on(GetObjectCommand).rejects(error);
    expect(await store().read()).toBeUndefined();
  });

  it('is not absent if its reading is denied', async () => {
    s3.on(GetObjectCommand).rejects(denied('kms:Decrypt'));
    await expect(store().read()).rejects.toThrow('kms:Decrypt');
  });

  it('reports a record that cannot be read once it is written', async () => {
    s3.on(GetObjectCommand).rejects(SHORT).on(PutObjectCommand).resolves({});
    const readable = store();
    await readable.read();
    s3.on(HeadObjectCommand).resolves({});
    await readable.write(RECORD);

    s3.on(HeadObjectCommand).rejects(HEAD);
    await expect(readable.write(RECORD)).rejects.toThrow('was written, but may not be read');
  });
});

describe('the view', () => {
  function aStore() {
    const lines: string[] = [];
    const log = ({ message }: LogLine) => void lines.push(message);
    const parts = { bucket: 'bucket', certificateAuthority: 'CA', release: '1', log };
    return { store: s3ViewStore(client, parts), lines };
  }
  const EMPTY = { resourceVersion: '1', objects: [], unreadable: [] };
  const VIEW = { takenAt: NOON, pods: EMPTY, nodes: EMPTY, lastPodEventAt: {} };

  it('is absent before it is first stored', async () => {
    s3.on(GetObjectCommand).rejects(ABSENT).on(HeadObjectCommand).rejects(HEAD);
    s3.on(PutObjectCommand).resolves({});
    const { store, lines } = aStore();

    expect(await store.load(0)).toBeUndefined();
    await store.save(NOON, { minIntervalMs: 0, take: () => VIEW });
    expect(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.IfNoneMatch).toBe('*');
    expect(lines).toEqual([]);
  });

  it('is logged if it may not be read', async () => {
    s3.on(GetObjectCommand).rejects(denied('s3:GetObject')).on(HeadObjectCommand).rejects(HEAD);
    s3.on(PutObjectCommand).rejects(s3Error(412, 'PreconditionFailed'));
    const { store, lines } = aStore();

    await store.load(0);
    await store.save(NOON, { minIntervalMs: 0, take: () => VIEW });
    expect(lines).toEqual(['view not loaded', 'view exists but is not found']);
  });
});

describe('a recorded decision', () => {
  const read = () => s3RecordSource(client, 'bucket').read('decisions/a');

  it.each([[s3Error(404, 'NoSuchKey')], [ABSENT]])('is absent if S3 says that it does not exist: %s', async (error) => {
    s3.on(GetObjectCommand).rejects(error);
    expect(await read()).toBeUndefined();
  });

  it.each([[SHORT], [denied('s3:GetObject')]])('is not absent for a person who may not read it: %s', async (error) => {
    s3.on(GetObjectCommand).rejects(error);
    await expect(read()).rejects.toBe(error);
  });
});
