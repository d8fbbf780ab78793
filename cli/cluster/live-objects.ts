import { type ApiResource, NODE_CLAIMS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { listObjects } from '../../shared/kubernetes/client/list-objects.ts';
import type { LiveReading } from '../../shared/kubernetes/readers/live-object.ts';
import { readNodeClaim } from '../../shared/kubernetes/readers/read-node-claim.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';

type Query = Readonly<Record<string, string>>;

/** Lists the objects of a kind that can be read and are ours. */
export async function listReadable<T>(
  api: KubernetesApi,
  kind: { readonly resource: ApiResource; read(raw: unknown): LiveReading<T> },
  query?: Query,
): Promise<readonly NonNullable<T>[]> {
  const { parsed } = await listObjects(api, kind, query);
  return [...parsed.values()].flatMap((reading) =>
    reading.outcome === 'read' && reading.value ? [reading.value] : [],
  );
}

/** Lists the NodeClaims of Mortise, without those that cannot be read. */
export const listClaims = (api: KubernetesApi, query?: Query): Promise<readonly NodeClaimObject[]> =>
  listReadable(api, { resource: NODE_CLAIMS, read: readNodeClaim }, query);
