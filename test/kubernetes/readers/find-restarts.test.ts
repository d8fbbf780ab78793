import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiForbiddenError } from '../../../shared/kubernetes/client/api-errors.ts';
import type { ApiRequest, KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { OwnerRestart } from '../../../shared/model/pods/workload.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { putDeployment } from '../support/live-deployment.ts';

let double: ApiDouble;
beforeEach(async () => {
  double = await startApiDouble();
});
afterEach(async () => double.close());

const pod = aPod({ owner: { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs' } });

type Answer = 'allowed' | 'denied' | 'forbidden';

/** @returns what was found, and the reviews that were asked for */
async function find(answer: Answer, ...drainGroups: readonly string[]) {
  const reviews: ApiRequest[] = [];
  const { api } = connect(double);
  const reviewing: KubernetesApi = {
    ...api,
    async read(request) {
      if (request.verb !== 'create') return api.read(request);
      reviews.push(request);
      if (answer === 'forbidden') throw new ApiForbiddenError(request, 'no right to ask');
      return { status: { allowed: answer === 'allowed' } };
    },
  };
  const clock = { now: () => NOON };
  const cluster = kubernetesCluster({
    api: reviewing,
    clock,
    ...(drainGroups.length > 0 && { drainGroups }),
  });
  return { restarts: await cluster.findRestarts([pod]), reviews };
}

const attributes = {
  verb: 'patch',
  group: 'apps',
  resource: 'deployments',
  namespace: 'default',
  name: 'web',
};

describe('what a restart of the Deployment of a pod would do', () => {
  it('is read with its replicas and the pods that it starts at once', async () => {
    putDeployment(double, { spec: { replicas: 3 }, status: { updatedReplicas: 3 } });

    expect((await find('allowed')).restarts).toEqual([{ owner: 'rs', replicas: 3, surge: 1 }]);
  });

  it('depends on the right of the function that drains nodes', async () => {
    putDeployment(double);
    const { restarts, reviews } = await find('denied', 'mortise:node-lifecycle');

    expect(restarts).toEqual([
      {
        owner: 'rs',
        replicas: 1,
        surge: 1,
        obstacle: 'Mortise may not patch Deployments in its namespace',
      },
    ]);
    expect(reviews).toMatchObject([
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          kind: 'SubjectAccessReview',
          spec: { groups: ['mortise:node-lifecycle'], resourceAttributes: attributes },
        },
      },
    ]);
  });

  it('depends on the rights of a process that drains nodes itself', async () => {
    putDeployment(double);
    const { restarts, reviews } = await find('allowed');

    expect(restarts).toEqual([{ owner: 'rs', replicas: 1, surge: 1 }]);
    expect(reviews[0]?.body).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: attributes },
    });
  });

  it('is impossible if the question for the right is forbidden', async () => {
    putDeployment(double);

    expect((await find('forbidden')).restarts[0]?.obstacle).toMatch(/it is unknown whether/);
  });

  it.each<[string, Parameters<typeof putDeployment>[1], OwnerRestart['obstacle']]>([
    ['is paused', { spec: { paused: true } }, 'its Deployment is paused'],
    ['is being rolled out', { revision: '4' }, 'a rollout replaces it already'],
  ])('is nothing if the Deployment %s, and no right is asked for', async (_, live, obstacle) => {
    putDeployment(double, live);
    const { restarts, reviews } = await find('allowed');

    expect(restarts).toEqual([{ owner: 'rs', replicas: 0, surge: 0, obstacle }]);
    expect(reviews).toEqual([]);
  });
});
