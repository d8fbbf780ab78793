import type { Pod } from '../../model/pods/pod.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import type { RestartOutcome } from '../../ports/cluster.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { DEPLOYMENTS, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { checkRestart, type RestartableDeployment } from '../readers/check-restart.ts';

/** `kubectl rollout restart` writes the same annotation. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/**
 * Starts a rolling restart of the pod's Deployment, if that adds the new pod before it removes the
 * old one, and if no rollout replaces the pod already.
 */
export async function restartOwner(api: KubernetesApi, pod: Pod, at: EpochMs): Promise<RestartOutcome> {
  const check = await checkRestart(api, pod);
  return check.outcome === 'restartable' ? patchTemplate(api, check.deployment, at) : check;
}

async function patchTemplate(
  api: KubernetesApi,
  { resourceVersion, ...deployment }: RestartableDeployment,
  at: EpochMs,
): Promise<RestartOutcome> {
  const path = objectPath(DEPLOYMENTS, deployment);
  const request = { verb: 'patch', resource: DEPLOYMENTS.name, path } as const;
  const template = { metadata: { annotations: { [RESTARTED_AT]: formatInstant(at) } } };
  try {
    const response = await api.send({
      ...request,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion }, spec: { template } },
    });
    if (isSuccess(response)) return { outcome: 'restarted', deployment: deployment.name };
    // Another writer changed or deleted it; the drain tries again if it is still needed.
    if (response.status === 409 || response.status === 404) return { outcome: 'under-way' };
    const refusal = toApiError(request, response);
    // A webhook or a policy denies it.
    if (response.status < 500) return { outcome: 'refused', why: refusal.message };
    throw refusal;
  } catch (error) {
    if (!(error instanceof ApiForbiddenError)) throw error;
    return {
      outcome: 'refused',
      why: 'Mortise may not patch Deployments in its namespace: bind the right to the group of NodeLifecycle there',
    };
  }
}
