import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiForbiddenError } from '../../../shared/kubernetes/client/api-errors.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';

const DEPLOYMENTS = '/apis/apps/v1/deployments';
const REVISION = 'deployment.kubernetes.io/revision';

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
});
afterEach(async () => double.close());

const pod = aPod({ owner: { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs' } });

interface Live {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly revision?: string;
}

function putDeployment({ spec, status, revision = '3' }: Live = {}): void {
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

const countPatches = (): number =>
  double.requests.filter(({ method }) => method === 'PATCH').length;

describe('the Deployment of a pod', () => {
  it('is restarted as kubectl does, if it has not changed since it was read', async () => {
    putDeployment();

    expect(await cluster.restartOwner(pod)).toEqual({ outcome: 'restarted', deployment: 'web' });
    expect(double.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion: expect.any(String) as unknown },
        spec: {
          template: {
            metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': NOON_TEXT } },
          },
        },
      },
    });
  });

  it.each<[string, Live]>([
    ['the pod is of an older template', { revision: '4' }],
    ['its controller has not seen the last change', { status: { observedGeneration: 0 } }],
    ['a rollout is under way', { status: { updatedReplicas: 0 } }],
  ])('is not restarted again if %s', async (_, live) => {
    putDeployment(live);

    expect(await cluster.restartOwner(pod)).toEqual({ outcome: 'under-way' });
    expect(countPatches()).toBe(0);
  });

  it.each<[string, Live]>([
    ['is paused', { spec: { paused: true } }],
    ['has the strategy Recreate', { spec: { strategy: { type: 'Recreate' } } }],
    ['has maxSurge 0', { spec: { strategy: { rollingUpdate: { maxSurge: 0 } } } }],
    [
      'allows unavailable pods during a rollout (maxUnavailable 25%); set it to 0',
      {
        spec: { replicas: 4 },
        status: { updatedReplicas: 4 },
      },
    ],
  ])('is not restarted if it %s', async (why, live) => {
    putDeployment(live);

    expect(await cluster.restartOwner(pod)).toEqual({
      outcome: 'refused',
      why: `Deployment default/web ${why}`,
    });
    expect(countPatches()).toBe(0);
  });

  it('is not restarted without the right, which is no error', async () => {
    putDeployment();
    const { api } = connect(double);
    const limited = kubernetesCluster({
      clock: { now: () => NOON },
      api: {
        ...api,
        async send(request) {
          if (request.verb === 'patch') throw new ApiForbiddenError(request, 'cannot patch');
          return api.send(request);
        },
      },
    });

    expect(await limited.restartOwner(pod)).toEqual({
      outcome: 'refused',
      why: expect.stringContaining('may not patch Deployments in namespace default') as unknown,
    });
  });

  it('is not looked for if the ReplicaSet is gone', async () => {
    expect(await cluster.restartOwner(pod)).toEqual({ outcome: 'under-way' });
  });
});
