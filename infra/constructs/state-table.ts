import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

export interface StateTableProps {
  /** Absent: a key that AWS owns. */
  readonly key?: IKey;
}

/**
 * The records of one cluster: what was launched and why. It outlives the stack, for the instances do
 * too, and can be taken back to any second of the last 35 days.
 */
export class StateTable extends TableV2 {
  constructor(scope: Construct, id: string, { key }: StateTableProps = {}) {
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      encryption: key
        ? TableEncryptionV2.customerManagedKey(key)
        : TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      // Takes finished rows away days late. Whether a row still holds is compared, never left to it.
      timeToLiveAttribute: 'expiresAt',
    });
  }
}
