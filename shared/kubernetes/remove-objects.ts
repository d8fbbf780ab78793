import type { Pod } from '../model/pod.ts';
import { SECOND_MS } from '../model/time.ts';
import { refusalOf } from './api-answers.ts';
import { NODES, objectPath, PODS } from './api-resources.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from './kubernetes-api.ts';

/** Asks for deletion; that the object is gone, or another one by now, is as good. */
async function remove(api: KubernetesApi, request: Omit<ApiRequest, 'verb'>): Promise<void> {
  const deletion = { ...request, verb: 'delete' } as const;
  const answer = await api.ask(deletion);
  if (isSuccess(answer) || answer.status === 404 || answer.status === 409) return;
  throw refusalOf(deletion, answer);
}

export const deleteNode = (api: KubernetesApi, name: string): Promise<void> =>
  remove(api, { resource: NODES.name, path: objectPath(NODES, { name }) });

/** Never another pod that has taken the name: the uid is a condition. */
export const deletePod = (api: KubernetesApi, pod: Pod, gracePeriodMs: number): Promise<void> =>
  remove(api, {
    resource: PODS.name,
    path: objectPath(PODS, pod),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: graceSeconds(gracePeriodMs),
      preconditions: { uid: pod.uid },
    },
  });

/** Zero would drop the pod while its containers still run: less than a second is one. */
const graceSeconds = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(1, Math.floor(ms / SECOND_MS));
