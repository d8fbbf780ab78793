import * as z from 'zod';
import type { Pod } from '../../model/pods/pod.ts';
import { toOwnerUid } from '../../model/pods/restarts.ts';
import type { OwnerRestart } from '../../model/pods/workload.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { DEPLOYMENTS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { checkRestart, type RestartableDeployment } from './check-restart.ts';

const AUTHORIZATION = 'authorization.k8s.io/v1';

/**
 * Finds what a restart of the owner of each pod would do. A Deployment counts as restartable only if
 * the process that drains nodes may patch it: a node that is disrupted for a restart that is then
 * forbidden would never end.
 *
 * @param group - of the process that drains nodes; `undefined` if this process does
 */
export const findRestarts = (
  api: Pick<KubernetesApi, 'send' | 'read'>,
  pods: readonly Pod[],
  group: string | undefined,
): Promise<readonly OwnerRestart[]> => Promise.all(pods.map((pod) => findRestart(api, pod, group)));

async function findRestart(
  api: Pick<KubernetesApi, 'send' | 'read'>,
  pod: Pod,
  group: string | undefined,
): Promise<OwnerRestart> {
  const owner = toOwnerUid(pod);
  const check = await checkRestart(api, pod);
  if (check.outcome !== 'restartable') {
    const obstacle = check.outcome === 'refused' ? check.why : 'a rollout replaces it already';
    return { owner, replicas: 0, surge: 0, obstacle };
  }
  const { replicas, surge, namespace } = check.deployment;
  const mayRestart = await mayPatch(api, check.deployment, group);
  const obstacle = `Mortise may not patch Deployments in namespace ${namespace}`;
  return { owner, replicas, surge, ...(!mayRestart && { obstacle }) };
}

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });

/** Asks the API server. A review that is forbidden counts as a no. */
async function mayPatch(
  api: Pick<KubernetesApi, 'read'>,
  { namespace, name }: RestartableDeployment,
  group: string | undefined,
): Promise<boolean> {
  const kind = group === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const resource = `${kind.toLowerCase()}s`;
  const resourceAttributes = {
    ...{ verb: 'patch', group: 'apps', resource: DEPLOYMENTS.name },
    ...{ namespace, name },
  };
  try {
    const review = await api.read({
      verb: 'create',
      resource,
      path: `/apis/${AUTHORIZATION}/${resource}`,
      body: {
        apiVersion: AUTHORIZATION,
        kind,
        spec: { resourceAttributes, ...(group !== undefined && { groups: [group] }) },
      },
    });
    return reviewSchema.parse(review).status.allowed;
  } catch (error) {
    if (error instanceof ApiForbiddenError) return false;
    throw error;
  }
}
