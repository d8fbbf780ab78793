import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { ClusterIdentities, ClusterIdentity } from '../../ports/cluster.ts';
import { ifVersion } from './table/conditions.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({
  certificateAuthority: z.string(),
  arn: z.string().exactOptional(),
  createdAt: z.number().exactOptional(),
} satisfies FieldsOf<ClusterIdentity>);

const findIdentity = (table: DynamoTable) => table.get('Identity', CLUSTER, rowSchema);
const CLUSTER = 'cluster';

/**
 * The row is written once: a new cluster under the name of a deleted one needs a table of its own.
 */
export function dynamoClusterIdentities(table: DynamoTable): ClusterIdentities {
  return {
    async remember(own) {
      const stored = await findIdentity(table);
      if (stored) return stored;
      await table.put('Identity', CLUSTER, { ...own }, ifVersion(0));
      return (await findIdentity(table)) ?? own;
    },
  };
}

/**
 * @param certificateAuthority - PEM; whitespace is ignored because tools wrap it differently
 */
export const toClusterIdentity = (certificateAuthority: string): ClusterIdentity => ({
  certificateAuthority: createHash('sha256').update(certificateAuthority.replaceAll(/\s/g, '')).digest('hex'),
});
