import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { buildApp } from 'fauxqs';
import { gunzipJson } from '../../../shared/aws/gzip-json.ts';

export interface LocalS3 {
  readonly client: S3Client;
  /**
   * @returns the name of a new, empty bucket
   */
  createBucket(): Promise<string>;
  keys(bucket: string): Promise<readonly string[]>;
  /** Reads a compressed JSON object. */
  read(bucket: string, key: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts S3 on the loopback interface, in this process. */
export async function startS3(): Promise<LocalS3> {
  const app = buildApp({ host: '127.0.0.1', logger: false });
  const client = new S3Client({
    endpoint: await app.listen({ port: 0, host: '127.0.0.1' }),
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    forcePathStyle: true,
  });
  let buckets = 0;

  return {
    client,
    async createBucket() {
      buckets += 1;
      const Bucket = `mortise-${buckets}`;
      await client.send(new CreateBucketCommand({ Bucket }));
      return Bucket;
    },
    async keys(Bucket) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      return Contents.flatMap(({ Key }) => Key ?? []);
    },
    async read(Bucket, Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return gunzipJson((await Body?.transformToByteArray()) ?? new Uint8Array());
    },
    async stop() {
      client.destroy();
      await app.close();
    },
  };
}
