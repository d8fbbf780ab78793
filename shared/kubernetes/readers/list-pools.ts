import type { NodePool } from '../../model/node-pool.ts';
import { NODE_POOLS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readNodePool } from './read-node-pool.ts';

/** Those that can be read, and whose classes are ours. */
export async function listPools(api: KubernetesApi): Promise<readonly NodePool[]> {
  const { readings } = await listObjects(api, { resource: NODE_POOLS, read: readNodePool });
  return [...readings.values()].flatMap((reading) =>
    reading.outcome === 'read' ? (reading.value ?? []) : [],
  );
}
