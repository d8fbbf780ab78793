import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { RecordSource } from '../record/decision-record.ts';
import { gunzipJson } from './gzip-json.ts';
import { findAbsence } from './s3-absence.ts';

/** Reads what `s3RecordStore` has stored. */
export const s3RecordSource = (s3: S3Client, bucket: string): RecordSource => ({
  async list(prefix) {
    const paths: string[] = [];
    const pages = paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: prefix });
    for await (const { Contents = [] } of pages) {
      paths.push(...Contents.flatMap(({ Key }) => Key ?? []));
    }
    return paths;
  },
  async read(path) {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: path }));
      return Body && (await gunzipJson(await Body.transformToByteArray()));
    } catch (error) {
      // A person may lack rights that functions have, so that a denial is shown.
      if (findAbsence(error) === 'absent') return undefined;
      throw error;
    }
  },
});
