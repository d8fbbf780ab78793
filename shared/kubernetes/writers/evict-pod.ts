import type { V1Eviction } from '@kubernetes/client-node';
import { PodHeldError } from '../../model/errors.ts';
import { listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import type { EvictionOutcome } from '../../ports/cluster.ts';
import { objectPath, POD_DISRUPTION_BUDGETS, PODS } from '../client/api-resources.ts';
import { findBudgetCause, isNamespaceTerminating, readStatus, toApiError } from '../client/api-responses.ts';
import type { Json } from '../client/json.ts';
import { type ApiRequest, type ApiResponse, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readPodDisruptionBudget } from '../readers/read-pod-disruption-budget.ts';

/**
 * @see kubernetes, registry/core/pod/storage/eviction.go
 */
export async function evictPod(api: KubernetesApi, pod: Pod): Promise<EvictionOutcome> {
  const { namespace, name, uid } = pod;
  const request = {
    verb: 'create',
    resource: 'pods/eviction',
    path: objectPath(PODS, pod, 'eviction'),
  } as const;
  const response = await api.send({
    ...request,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace, name },
      deleteOptions: { preconditions: { uid } },
    } satisfies Json<V1Eviction>,
  });

  if (isSuccess(response)) return { outcome: 'evicted' };
  const status = readStatus(response.body);
  // 409: the name exists with another uid.
  if (response.status === 404 || response.status === 409 || isNamespaceTerminating(status)) {
    return { outcome: 'gone' };
  }
  const cause = findBudgetCause(status);
  if (response.status === 429 && cause !== undefined) {
    return {
      outcome: 'refused',
      pdb: findBudgetName(cause) ?? (await listCoveringBudgets(api, pod)),
    };
  }
  if (response.status === 500 && status.message.includes('more than one PodDisruptionBudget')) {
    return { outcome: 'refused', pdb: await listCoveringBudgets(api, pod) };
  }
  // More than 2,000 evictions of a budget that its controller has not confirmed, or a negative number
  // of allowed disruptions.
  if (response.status === 403 && status.object?.kind === 'poddisruptionbudget') {
    return { outcome: 'refused', pdb: status.object.name };
  }
  throw toRemovalError(pod, request, response);
}

/** Parses `The disruption budget web needs 2 healthy pods and has 2 currently`. */
const findBudgetName = (cause: string): string | undefined => /disruption budget (\S+) /.exec(cause)?.[1];

/** Lists the current budgets that select the pod, because the response does not name the budget. */
async function listCoveringBudgets(api: KubernetesApi, pod: Pod): Promise<string> {
  const { parsed } = await listObjects(
    api,
    { resource: POD_DISRUPTION_BUDGETS, read: readPodDisruptionBudget },
    { fieldSelector: `metadata.namespace=${pod.namespace}` },
  );
  const budgets = [...parsed.values()].flatMap((one) => (one.outcome === 'read' ? [one.value] : []));
  return listMatchingBudgets(pod, budgets)
    .map(({ name }) => name)
    .join(', ');
}

/**
 * The error for a refused removal. A denial by admission, or a 500, for example from a webhook that does
 * not answer, concerns this pod only; 503 and 504 mean that the API server is overloaded or shutting
 * down.
 */
export function toRemovalError(pod: Pod, request: ApiRequest, response: ApiResponse): Error {
  const refusal = toApiError(request, response);
  if (response.status > 500) return refusal;
  return new PodHeldError(podKey(pod), { why: refusal.message, cause: refusal });
}
