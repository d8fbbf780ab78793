import { ON_SURPLUS_NODE_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { createDeletionCostLimit } from '../../model/rate-limit.ts';
import { type EpochMs, HOUR_MS } from '../../model/time.ts';
import type { Cluster, DeletionCostOutcome } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/ports.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { objectPath, PODS } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';

/** The pod is gone, or another pod has its name: its uid, which never changes, differs from the patch. */
const GONE_STATUSES: readonly number[] = [404, 422];

/** Without the right, the same namespace is not tried again for so long. */
const FORBIDDEN_FOR_MS = HOUR_MS;

/**
 * Creates the writer of deletion costs. Only users give the right to patch pods, by namespace: most clusters do
 * not give it, and their API server and its audit log see one attempt per namespace and hour.
 */
export function createDeletionCostWriter(api: KubernetesApi, clock: Clock): Cluster['setPodDeletionCost'] {
  const forbiddenUntil = new Map<string, EpochMs>();
  const limit = createDeletionCostLimit();
  return async (pod, cost) => {
    if (clock.now() < (forbiddenUntil.get(pod.namespace) ?? 0)) return 'forbidden';
    if (!limit.tryTake(clock.now())) return 'limited';
    const outcome = await setPodDeletionCost(api, pod, cost);
    if (outcome === 'forbidden') forbiddenUntil.set(pod.namespace, clock.now() + FORBIDDEN_FOR_MS);
    return outcome;
  };
}

/** Sets the annotation that ReplicaSets read, and one that says that it is ours; or removes both. */
async function setPodDeletionCost(
  api: KubernetesApi,
  pod: Pod,
  cost: number | undefined,
): Promise<DeletionCostOutcome> {
  const request = { verb: 'patch', resource: PODS.name, path: objectPath(PODS, pod) } as const;
  const isSet = cost !== undefined;
  const annotations = {
    [POD_DELETION_COST_ANNOTATION]: isSet ? `${cost}` : null,
    [ON_SURPLUS_NODE_ANNOTATION]: isSet ? 'true' : null,
  };
  try {
    const response = await api.send({
      ...request,
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid: pod.uid, annotations } },
    });
    if (isSuccess(response)) return 'changed';
    if (GONE_STATUSES.includes(response.status)) return 'gone';
    throw toApiError(request, response);
  } catch (error) {
    if (error instanceof ApiForbiddenError) return 'forbidden';
    throw error;
  }
}
