import { PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { RecordStore } from '../record/decision-recorder.ts';
import { gzipText } from './gzip-json.ts';

/** The answer to a conditional write if the object exists, or another writer is just storing it. */
const EXISTS: ReadonlySet<number | undefined> = new Set([412, 409]);

/** Stores records in the cluster's bucket, compressed. S3 refuses to overwrite one. */
export const s3RecordStore = (s3: S3Client, bucket: string): RecordStore => ({
  async put(path, json) {
    try {
      await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: path,
          Body: await gzipText(json),
          ContentType: 'application/json',
          ContentEncoding: 'gzip',
          IfNoneMatch: '*',
        }),
      );
      return 'stored';
    } catch (error) {
      if (error instanceof S3ServiceException && EXISTS.has(error.$metadata.httpStatusCode)) {
        return 'exists';
      }
      throw error;
    }
  },
});
