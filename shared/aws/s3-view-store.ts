import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { SECOND_MS } from '../model/time.ts';
import type { ViewStore } from '../ports/view-store.ts';
import { readViewFile, writeViewFile } from '../record/view-file.ts';
import { gunzipJson, gzipText } from './gzip-json.ts';
import type { Log } from './log.ts';

interface S3ViewStoreParts {
  readonly bucket: string;
  /** Identifies the cluster: resourceVersions of another cluster of this name mean other things. */
  readonly certificateAuthority: string;
  readonly release: string;
  readonly log: Log;
}

/**
 * A view serves for four minutes. Two functions run once a minute, so that one of them stores a view
 * every other minute.
 */
const MIN_INTERVAL_MS = 90 * SECOND_MS;

/** Without the right to list the bucket, S3 answers 403 for an object that does not exist. */
const ABSENT: ReadonlySet<number | undefined> = new Set([403, 404]);
/** Another process stored a view meanwhile. */
const CONFLICT: ReadonlySet<number | undefined> = new Set([409, 412]);

/** Stores the view as one compressed object in the cluster's bucket. */
export function s3ViewStore(
  s3: S3Client,
  { bucket, certificateAuthority, release, log }: S3ViewStoreParts,
): ViewStore {
  const cluster = createHash('sha256').update(certificateAuthority).digest('hex').slice(0, 16);
  const address = { Bucket: bucket, Key: `views/${cluster}.json.gz` };

  /** Only a condition of the write keeps two processes from overwriting each other's view. */
  async function findCurrent(): Promise<{ etag?: string; storedAt: number }> {
    try {
      const { ETag, LastModified } = await s3.send(new HeadObjectCommand(address));
      return {
        ...(ETag !== undefined && { etag: ETag }),
        storedAt: LastModified?.getTime() ?? Number.NEGATIVE_INFINITY,
      };
    } catch (error) {
      if (!isStatus(error, ABSENT)) throw error;
      return { storedAt: Number.NEGATIVE_INFINITY };
    }
  }

  return {
    async load(since) {
      try {
        const { Body, LastModified } = await s3.send(new GetObjectCommand(address));
        // The body of a view that is too old is not read. LastModified is in whole seconds.
        if (!Body || (LastModified && LastModified.getTime() + SECOND_MS <= since))
          return undefined;
        const view = readViewFile(await gunzipJson(await Body.transformToByteArray()), release);
        return view.takenAt < since ? undefined : view;
      } catch (error) {
        if (!isStatus(error, ABSENT)) {
          log({ level: 'warn', message: 'view not loaded', fields: { error: String(error) } });
        }
        return undefined;
      }
    },
    async save(now, take) {
      try {
        const { etag, storedAt } = await findCurrent();
        if (now - storedAt < MIN_INTERVAL_MS) return;
        const view = take();
        if (!view) return;
        const Body = await gzipText(writeViewFile(view, release));
        await s3.send(
          new PutObjectCommand({
            ...address,
            Body,
            ContentType: 'application/json',
            ContentEncoding: 'gzip',
            ...(etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag }),
          }),
        );
      } catch (error) {
        if (isStatus(error, CONFLICT)) return;
        log({ level: 'warn', message: 'view not stored', fields: { error: String(error) } });
      }
    },
  };
}

const isStatus = (error: unknown, statuses: ReadonlySet<number | undefined>): boolean =>
  error instanceof S3ServiceException && statuses.has(error.$metadata.httpStatusCode);
