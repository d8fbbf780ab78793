import * as z from 'zod';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { DynamoTable } from '../table/dynamo-table.ts';

const rowSchema = z.object({ claim: z.string() });
const MAX_REMEMBERED = 20_000;

/** Finds the names of claims by what else identifies them. */
export interface ClaimLookups {
  findByInstance(instanceId: string): Promise<string | undefined>;
  findByNode(node: string): Promise<string | undefined>;
  /** Must end before the claim is stored: a claim that has an instance can then be found by it. */
  store(claim: NodeClaim): Promise<void>;
  remove(claim: NodeClaim): Promise<void>;
}

/**
 * One row per instance and one per node. An index of the table would cost as much to write, answers
 * late, and could not be added together with another one in one deployment.
 */
export function dynamoClaimLookups(table: DynamoTable): ClaimLookups {
  // Most writes of a claim change neither its instance nor its node.
  const stored = new Set<string>();
  const find = async (key: string) => (await table.get('ClaimLookup', key, rowSchema))?.claim;

  return {
    findByInstance: (instanceId) => find(instanceId),
    findByNode: (node) => find(toNodeKey(node)),
    async store(claim) {
      const missing = listKeys(claim).filter((key) => !stored.has(key));
      const row = { claim: claim.name };
      await Promise.all(missing.map((key) => table.put('ClaimLookup', key, row, {})));
      if (stored.size > MAX_REMEMBERED) stored.clear();
      for (const key of missing) stored.add(key);
    },
    async remove(claim) {
      const keys = listKeys(claim);
      await Promise.all(keys.map((key) => table.remove('ClaimLookup', key)));
      for (const key of keys) stored.delete(key);
    },
  };
}

/** EventBridge events carry the instance id without the zone. */
export const toInstanceId = (providerId: string): string => providerId.split('/').at(-1) ?? '';

const toNodeKey = (node: string): string => `node/${node}`;

const listKeys = ({ launch, nodeName }: NodeClaim): readonly string[] => [
  ...(launch ? [toInstanceId(launch.providerId)] : []),
  ...(nodeName === undefined ? [] : [toNodeKey(nodeName)]),
];
