import type { ApiDouble } from './api-double.ts';
import { COLLECTIONS } from './live-objects.ts';

const DEPLOYMENTS = '/apis/apps/v1/deployments';
const REVISION = 'deployment.kubernetes.io/revision';

export interface LiveDeployment {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly revision?: string;
}

/** Puts the Deployment `web` and its ReplicaSet `web-5d`, of the latest revision. */
export function putDeployment(
  double: Pick<ApiDouble, 'put'>,
  { spec, status, revision = '3' }: LiveDeployment = {},
): void {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd' };
  double.put(COLLECTIONS.replicaSets, {
    metadata: {
      namespace: 'default',
      name: 'web-5d',
      uid: 'rs',
      annotations: { [REVISION]: '3' },
      ownerReferences: [{ ...owner, controller: true }],
    },
  });
  double.put(DEPLOYMENTS, {
    metadata: {
      namespace: 'default',
      name: 'web',
      uid: 'd',
      generation: 4,
      annotations: { [REVISION]: revision },
    },
    spec: { replicas: 1, ...spec },
    status: { observedGeneration: 4, updatedReplicas: 1, ...status },
  });
}
