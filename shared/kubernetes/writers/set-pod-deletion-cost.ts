import { ON_SURPLUS_NODE_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../model/labels.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { DeletionCostOutcome } from '../../ports/cluster.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { objectPath, PODS } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';

/** The pod is gone, or another pod has its name: its uid, which never changes, differs from the patch. */
const GONE_STATUSES: readonly number[] = [404, 422];

/** Sets the annotation that ReplicaSets read, and one that says that it is ours; or removes both. */
export async function setPodDeletionCost(
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
    // Only users give this right.
    if (error instanceof ApiForbiddenError) return 'forbidden';
    throw error;
  }
}
