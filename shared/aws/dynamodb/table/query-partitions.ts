import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Filter } from './conditions.ts';
import type { Attributes } from './read-rows.ts';

/** Selects rows by their sort key. */
export interface SortKeys {
  readonly condition: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Sends the request for one page. */
type SendQuery = (page: QueryCommand) => Promise<QueryCommandOutput>;

/** Queries all pages of all partitions at once. */
export async function queryPartitions(
  partitions: readonly string[],
  {
    table,
    keys,
    filter = {},
  }: { readonly table: string; readonly keys: SortKeys; readonly filter?: Filter | undefined },
  send: SendQuery,
): Promise<Attributes[]> {
  const request = {
    TableName: table,
    ConsistentRead: true,
    ...filter,
    KeyConditionExpression: `pk = :pk AND ${keys.condition}`,
    ExpressionAttributeValues: { ...filter.ExpressionAttributeValues, ...keys.values },
  };
  const rows = await Promise.all(partitions.map((partition) => queryPartition(request, partition, send)));
  return rows.flat();
}

async function queryPartition(request: QueryCommandInput, partition: string, send: SendQuery): Promise<Attributes[]> {
  const items: Attributes[] = [];
  let ExclusiveStartKey: Attributes | undefined;
  do {
    const page = new QueryCommand({
      ...request,
      ExpressionAttributeValues: { ...request.ExpressionAttributeValues, ':pk': partition },
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    const { Items = [], LastEvaluatedKey } = await send(page);
    items.push(...Items);
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}
