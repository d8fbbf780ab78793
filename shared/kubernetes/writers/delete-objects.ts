import type { V1DeleteOptions } from '@kubernetes/client-node';
import type { NodeIdentity } from '../../model/nodes/node.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { SECOND_MS } from '../../model/time.ts';
import { NODES, objectPath, PODS } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import type { Json } from '../client/json.ts';
import { type ApiRequest, type ApiResponse, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { toRemovalError } from './evict-pod.ts';

const TYPE = { apiVersion: 'v1', kind: 'DeleteOptions' } as const;

/**
 * The uid is a precondition: names of Nodes come from their addresses, so that a new node may have the
 * name of an old one.
 */
export async function deleteNode(api: KubernetesApi, { name, uid }: NodeIdentity): Promise<void> {
  const path = objectPath(NODES, { name });
  const body: Json<V1DeleteOptions> = { ...TYPE, preconditions: { uid } };
  const deletion = { verb: 'delete', resource: NODES.name, path, body } as const;
  const response = await api.send(deletion);
  if (!isGone(response)) throw toApiError(deletion, response);
}

/** The uid is a precondition, so that a new pod of the same name is never deleted. */
export async function deletePod(api: KubernetesApi, pod: Pod, gracePeriodMs: number): Promise<void> {
  const deletion: ApiRequest = {
    verb: 'delete',
    resource: PODS.name,
    path: objectPath(PODS, pod),
    body: {
      ...TYPE,
      gracePeriodSeconds: toGraceSeconds(gracePeriodMs),
      preconditions: { uid: pod.uid },
    } satisfies Json<V1DeleteOptions>,
  };
  const response = await api.send(deletion);
  if (!isGone(response)) throw toRemovalError(pod, deletion, response);
}

/** A missing or replaced object counts as deleted. */
const isGone = (response: ApiResponse): boolean =>
  isSuccess(response) || response.status === 404 || response.status === 409;

/**
 * Zero would remove the pod while its containers still run, so less than a second is rounded up to
 * one.
 */
const toGraceSeconds = (ms: number): number => (ms <= 0 ? 0 : Math.max(1, Math.floor(ms / SECOND_MS)));
