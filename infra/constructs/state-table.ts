import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

export interface StateTableProps {
  /** Undefined for a key that AWS owns. */
  readonly key?: IKey;
}

/**
 * The records of one cluster. It outlives the stack, because the instances do, and can be restored
 * to any second of the last 35 days, also for 35 days after its deletion. DynamoDB's protection
 * against deletion is off: the rollback of a failed first deployment could not delete the table.
 *
 * @see DynamoDB, "Point-in-time recovery": deleting a table with it creates a system backup
 */
export class StateTable extends TableV2 {
  constructor(scope: Construct, id: string, { key }: StateTableProps = {}) {
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      encryption: key ? TableEncryptionV2.customerManagedKey(key) : TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      // DynamoDB removes expired rows up to days late, so readers compare the expiry themselves.
      timeToLiveAttribute: 'expiresAt',
    });
  }
}
