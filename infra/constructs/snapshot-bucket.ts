import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

export interface SnapshotBucketProps {
  readonly retentionDays: number;
  /** Undefined for S3's own key. */
  readonly key?: IKey;
}

const DELETED_VERSION_DAYS = 7;

/** Decisions and the snapshots that they were made from, for replay and audits. */
export class SnapshotBucket extends Bucket {
  constructor(scope: Construct, id: string, { retentionDays, key }: SnapshotBucketProps) {
    super(scope, id, {
      ...(key
        ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // A decision that is deleted by mistake can be restored for a week.
      versioned: true,
      // An audit may need the objects after the stack is gone; the expiry rule empties the bucket. The
      // rollback of a failed first deployment deletes it.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      lifecycleRules: [
        {
          // Also removes delete markers without versions.
          expiration: Duration.days(retentionDays),
          noncurrentVersionExpiration: Duration.days(DELETED_VERSION_DAYS),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Objects expire and hold no credentials; CloudTrail data events record reads where an audit needs them.',
    });
  }
}
