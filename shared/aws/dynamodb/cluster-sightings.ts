import * as z from 'zod';
import type { FieldsOf } from '../../model-schema/exact-schema.ts';
import type { ClusterSighting, ClusterSightings } from '../../ports/deleted-cluster.ts';
import type { DynamoTable } from './table/dynamo-table.ts';

const rowSchema = z.object({
  arn: z.string().exactOptional(),
  missing: z.object({ since: z.number(), lastAt: z.number() }).exactOptional(),
} satisfies FieldsOf<ClusterSighting>);

const NAME = 'cluster';

/** The last writer wins: a lost write only delays what follows from it. */
export const dynamoClusterSightings = (table: DynamoTable): ClusterSightings => ({
  read: () => table.get('Sighting', NAME, rowSchema),
  async write(sighting) {
    await table.put('Sighting', NAME, { ...sighting }, {});
  },
});
