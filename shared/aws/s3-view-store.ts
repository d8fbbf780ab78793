import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { SECOND_MS } from '../model/time.ts';
import type { StoredView, ViewStore } from '../ports/view-store.ts';
import { readViewFile, writeViewFile } from '../record/view-file.ts';
import { gunzipJson, gzipText } from './gzip-json.ts';
import type { Log } from './log.ts';
import { type Absence, findAbsence } from './s3-absence.ts';

interface S3ViewStoreParts {
  readonly bucket: string;
  /** Identifies the cluster: resourceVersions of another cluster of this name mean other things. */
  readonly certificateAuthority: string;
  readonly release: string;
  readonly log: Log;
}

/** Another process stored a view meanwhile. */
const CONFLICT: ReadonlySet<number | undefined> = new Set([409, 412]);

interface CurrentView {
  readonly etag?: string;
  readonly absence?: Absence;
  readonly storedAt: number;
}

/** Stores the view as one compressed object in the cluster's bucket. */
export function s3ViewStore(s3: S3Client, { bucket, certificateAuthority, release, log }: S3ViewStoreParts): ViewStore {
  const cluster = createHash('sha256').update(certificateAuthority).digest('hex').slice(0, 16);
  const address = { Bucket: bucket, Key: `views/${cluster}.json.gz` };

  /** Only a condition of the write keeps two processes from overwriting each other's view. */
  async function findCurrent(): Promise<CurrentView> {
    try {
      const { ETag, LastModified } = await s3.send(new HeadObjectCommand(address));
      return {
        ...(ETag !== undefined && { etag: ETag }),
        storedAt: LastModified?.getTime() ?? Number.NEGATIVE_INFINITY,
      };
    } catch (error) {
      const absence = findAbsence(error);
      if (absence === undefined) throw error;
      return { absence, storedAt: Number.NEGATIVE_INFINITY };
    }
  }

  /**
   * @returns false if the view is not the one with this tag any more
   */
  async function store(view: StoredView, etag: string | undefined): Promise<boolean> {
    const Body = await gzipText(writeViewFile(view, release));
    try {
      await s3.send(
        new PutObjectCommand({
          ...address,
          Body,
          ContentType: 'application/json',
          ContentEncoding: 'gzip',
          ...(etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag }),
        }),
      );
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  return {
    async load(since) {
      try {
        const { Body, LastModified } = await s3.send(new GetObjectCommand(address));
        // The body of a view that is too old is not read. LastModified is in whole seconds.
        if (!Body || (LastModified && LastModified.getTime() + SECOND_MS <= since)) return undefined;
        const view = readViewFile(await gunzipJson(await Body.transformToByteArray()), release);
        return view.takenAt < since ? undefined : view;
      } catch (error) {
        if (findAbsence(error) === undefined) {
          log({ level: 'warn', message: 'view not loaded', fields: { error: String(error) } });
        }
        return undefined;
      }
    },
    async save(now, { minIntervalMs, take }) {
      try {
        const { etag, absence, storedAt } = await findCurrent();
        if (now - storedAt < minIntervalMs) return;
        const view = take();
        if (!view || (await store(view, etag))) return;
        // Another process was faster, unless this one may not read the view.
        if (absence !== 'absent-or-denied') return;
        log({ level: 'warn', message: 'view exists but is not found', fields: { ...address } });
      } catch (error) {
        log({ level: 'warn', message: 'view not stored', fields: { error: String(error) } });
      }
    },
  };
}

const isConflict = (error: unknown): boolean =>
  error instanceof S3ServiceException && CONFLICT.has(error.$metadata.httpStatusCode);
