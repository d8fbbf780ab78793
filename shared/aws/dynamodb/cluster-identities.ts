import * as z from 'zod';
import type { ClusterIdentities, ClusterIdentity } from '../../ports/cluster.ts';
import { type DynamoTable, unchangedSince } from './table/dynamo-table.ts';
import type { FieldsOf } from './schema/node-claim-schema.ts';

const rowSchema = z.object({
  certificateAuthority: z.string(),
  arn: z.string().exactOptional(),
  createdAt: z.number().exactOptional(),
} satisfies FieldsOf<ClusterIdentity>);

const find = (table: DynamoTable) => table.get('Identity', CLUSTER, rowSchema);
const CLUSTER = 'cluster';

/** Written once: who brings up a new cluster under an old name gives it a table of its own. */
export function dynamoClusterIdentities(table: DynamoTable): ClusterIdentities {
  return {
    async remember(own) {
      const known = await find(table);
      if (known) return known;
      await table.put('Identity', CLUSTER, { ...own }, unchangedSince(0));
      return (await find(table)) ?? own;
    },
  };
}
