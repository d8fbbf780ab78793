import type { V1SubjectAccessReview } from '@kubernetes/client-node';
import * as z from 'zod';
import { type Pod, toOwnerUid } from '../../model/pods/pod.ts';
import type { OwnerRestart } from '../../model/pods/workload.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { DEPLOYMENTS } from '../client/api-resources.ts';
import type { Json } from '../client/json.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { checkRestart, type RestartableDeployment } from './check-restart.ts';

const AUTHORIZATION = 'authorization.k8s.io/v1';

/**
 * Finds what a restart of the owner of each pod would do. A Deployment counts as restartable only if
 * the process that drains nodes may patch it: a node that is disrupted for a restart that is then
 * forbidden would never end.
 *
 * @param groups - of the process that drains nodes; `undefined` if this process does
 */
export const findRestarts = (
  api: Pick<KubernetesApi, 'send' | 'read'>,
  pods: readonly Pod[],
  groups: readonly string[] | undefined,
): Promise<readonly OwnerRestart[]> => Promise.all(pods.map((pod) => findRestart(api, pod, groups)));

async function findRestart(
  api: Pick<KubernetesApi, 'send' | 'read'>,
  pod: Pod,
  groups: readonly string[] | undefined,
): Promise<OwnerRestart> {
  const owner = toOwnerUid(pod);
  const check = await checkRestart(api, pod);
  if (check.outcome !== 'restartable') {
    const obstacle = check.outcome === 'refused' ? check.why : 'a rollout replaces it already';
    return { owner, replicas: 0, surge: 0, obstacle };
  }
  const { replicas, surge } = check.deployment;
  const obstacle = OBSTACLES[await reviewRight(api, check.deployment, groups)];
  return { owner, replicas, surge, ...(obstacle !== undefined && { obstacle }) };
}

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });

type Right = 'allowed' | 'denied' | 'unknown';

const OBSTACLES: Readonly<Record<Right, string | undefined>> = {
  allowed: undefined,
  denied: 'Mortise may not patch Deployments in its namespace',
  unknown: 'it is unknown whether Mortise may patch Deployments in its namespace',
};

/** Asks the API server, which stores nothing. */
async function reviewRight(
  api: Pick<KubernetesApi, 'read'>,
  { namespace, name }: RestartableDeployment,
  groups: readonly string[] | undefined,
): Promise<Right> {
  const kind = groups === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
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
        spec: { resourceAttributes, ...(groups && { groups }) },
      } satisfies Json<V1SubjectAccessReview>,
    });
    return reviewSchema.parse(review).status.allowed ? 'allowed' : 'denied';
  } catch (error) {
    if (error instanceof ApiForbiddenError) return 'unknown';
    throw error;
  }
}
