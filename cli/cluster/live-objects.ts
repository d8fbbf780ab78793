import { type ApiResource, NODE_CLAIMS, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { listObjects } from '../../shared/kubernetes/client/list-objects.ts';
import type { LiveReading } from '../../shared/kubernetes/readers/live-object.ts';
import { readNodeClaim } from '../../shared/kubernetes/readers/read-node-claim.ts';
import { readPod } from '../../shared/kubernetes/readers/read-pod.ts';
import { createPodTemplateReader } from '../../shared/kubernetes/readers/read-pod-template.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';

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

export async function listPods(api: KubernetesApi, query: Query): Promise<readonly Pod[]> {
  const templates = createPodTemplateReader();
  const pods = await listReadable(api, { resource: PODS, read: (raw) => readPod(templates, raw) }, query);
  return pods.map(({ pod }) => pod);
}
