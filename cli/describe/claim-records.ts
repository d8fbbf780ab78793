import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoNodeClaims } from '../../shared/aws/dynamodb/node-claims/node-claims.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { callAws } from '../cluster/aws-problems.ts';
import { findStack } from '../cluster/find-stack.ts';
import type { ClusterChoice, ReachedCluster } from '../cluster/reach-cluster.ts';
import { CliError } from '../errors.ts';

type Server = Pick<ReachedCluster['server'], 'cluster' | 'region'>;

/** Reads the record of a NodeClaim; undefined if there is none. @throws CliError - those of `callAws` */
export type ReadRecord = (name: string) => Promise<NodeClaim | undefined>;

/**
 * Opens the records of the stack that serves a cluster.
 *
 * @returns undefined without a stack
 * @throws CliError - those of `callAws`
 */
export async function openClaimRecords(
  choice: ClusterChoice,
  { cluster, region }: Server,
): Promise<ReadRecord | undefined> {
  const settings = toClientSettings({ ...choice, region });
  const stack = await findStack(cluster, settings);
  if (!stack) return undefined;
  const claims = dynamoNodeClaims(dynamoTable(new DynamoDBClient(settings), { table: stack.table, cluster }));
  return async (name) => (await callAws(`table ${stack.table}`, () => claims.find(name)))?.claim;
}

interface FoundRecord {
  readonly record?: NodeClaim;
  readonly warnings: readonly string[];
}

/** Reads the record of one NodeClaim, and says what keeps it from being read. */
export async function findRecord(choice: ClusterChoice, server: Server, name: string): Promise<FoundRecord> {
  if (server.region === '') return { warnings: ['the record was not read: no AWS region'] };
  try {
    const record = await (await openClaimRecords(choice, server))?.(name);
    return { ...(record && { record }), warnings: [] };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { warnings: [`the record could not be read: ${error.message}`] };
  }
}
