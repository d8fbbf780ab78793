import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { gunzipJson, gzipJson } from '../../gzip-json.ts';
import { type PriceRecordStore, priceRecordSchema } from './price-record.ts';

const KEY = 'catalogue/market.json.gz';

/** Stores the record as one object in the cluster's bucket: some 6,000 prices, 40 kB. */
export function s3PriceRecordStore(s3: S3Client, bucket: string): PriceRecordStore {
  return {
    async read() {
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: KEY }));
        if (!Body) return undefined;
        return priceRecordSchema.parse(await gunzipJson(await Body.transformToByteArray()));
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async write(record) {
      await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: KEY,
          Body: gzipJson(record),
          ContentType: 'application/json',
          ContentEncoding: 'gzip',
        }),
      );
    },
  };
}
