import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { gunzipJson, gzipJson } from '../../gzip-json.ts';
import { type Absence, findAbsence } from '../../s3-absence.ts';
import { type PriceRecordStore, priceRecordSchema } from './price-record.ts';

const KEY = 'catalogue/market.json.gz';

/** Stores the record as one object in the cluster's bucket: some 6,000 prices, 40 kB. */
export function s3PriceRecordStore(s3: S3Client, bucket: string): PriceRecordStore {
  const address = { Bucket: bucket, Key: KEY };
  let absence: Absence | undefined;

  /** The record exists now: S3 has no reason left to refuse its reading. */
  async function ensureReadable(): Promise<void> {
    try {
      await s3.send(new HeadObjectCommand(address));
    } catch (cause) {
      throw new Error(`${KEY} was written, but may not be read`, { cause });
    }
  }

  return {
    async read() {
      try {
        const { Body } = await s3.send(new GetObjectCommand(address));
        if (!Body) return undefined;
        return priceRecordSchema.parse(await gunzipJson(await Body.transformToByteArray()));
      } catch (error) {
        absence = findAbsence(error);
        if (absence) return undefined;
        throw error;
      }
    },
    async write(record) {
      await s3.send(
        new PutObjectCommand({
          ...address,
          Body: gzipJson(record),
          ContentType: 'application/json',
          ContentEncoding: 'gzip',
        }),
      );
      if (absence === 'absent-or-denied') await ensureReadable();
    },
  };
}
