import type { Pod } from '../../model/pods/pod.ts';
import { SECOND_MS } from '../../model/time.ts';
import { refusalOf } from '../client/api-responses.ts';
import { NODES, objectPath, PODS } from '../client/api-resources.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  isSuccess,
  type KubernetesApi,
} from '../client/kubernetes-api.ts';
import { askToLeave, whyItStays } from './evict-pod.ts';

export async function deleteNode(api: KubernetesApi, name: string): Promise<void> {
  const path = objectPath(NODES, { name });
  const deletion = { verb: 'delete', resource: NODES.name, path } as const;
  const answer = await api.ask(deletion);
  if (!isDone(answer)) throw refusalOf(deletion, answer);
}

/** Never another pod that has taken the name: the uid is a condition. */
export async function deletePod(
  api: KubernetesApi,
  pod: Pod,
  gracePeriodMs: number,
): Promise<void> {
  const deletion: ApiRequest = {
    verb: 'delete',
    resource: PODS.name,
    path: objectPath(PODS, pod),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: graceSeconds(gracePeriodMs),
      preconditions: { uid: pod.uid },
    },
  };
  const answer = await askToLeave(api, pod, deletion);
  if (!isDone(answer)) throw whyItStays(pod, deletion, answer);
}

/** That the object is gone, or another one by now, is as good. */
const isDone = (answer: ApiAnswer): boolean =>
  isSuccess(answer) || answer.status === 404 || answer.status === 409;

/** Zero would drop the pod while its containers still run: less than a second is one. */
const graceSeconds = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(1, Math.floor(ms / SECOND_MS));
