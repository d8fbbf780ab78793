import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiForbiddenError } from '../../../shared/kubernetes/client/api-errors.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { type LiveDeployment, putDeployment } from '../support/live-deployment.ts';
import { NOON_TEXT } from '../support/live-objects.ts';

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
});
afterEach(async () => double.close());

const pod = aPod({ owner: { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs' } });

const countPatches = (): number => double.requests.filter(({ method }) => method === 'PATCH').length;

describe('the Deployment of a pod', () => {
  it('is restarted as kubectl does, if it has not changed since it was read', async () => {
    putDeployment(double);

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

  it.each<[string, LiveDeployment]>([
    ['the pod is of an older template', { revision: '4' }],
    ['its controller has not seen the last change', { status: { observedGeneration: 0 } }],
    ['a rollout is under way', { status: { updatedReplicas: 0 } }],
  ])('is not restarted again if %s', async (_, live) => {
    putDeployment(double, live);

    expect(await cluster.restartOwner(pod)).toEqual({ outcome: 'under-way' });
    expect(countPatches()).toBe(0);
  });

  it.each<[string, LiveDeployment]>([
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
    putDeployment(double, live);

    expect(await cluster.restartOwner(pod)).toEqual({
      outcome: 'refused',
      why: `its Deployment ${why}`,
    });
    expect(countPatches()).toBe(0);
  });

  it('is not restarted if a policy denies it, whose words are the reason', async () => {
    putDeployment(double);
    const { api } = connect(double);
    const guarded = kubernetesCluster({
      clock: { now: () => NOON },
      api: {
        ...api,
        send: async (request) =>
          request.verb === 'patch' ? refusal(403, 'Forbidden', 'denied by policy "freeze"') : api.send(request),
      },
    });

    expect(await guarded.restartOwner(pod)).toMatchObject({
      outcome: 'refused',
      why: expect.stringContaining('denied by policy "freeze"') as unknown,
    });
  });

  it('is not restarted without the right, which is no error', async () => {
    putDeployment(double);
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
      why: expect.stringContaining('may not patch Deployments in its namespace') as unknown,
    });
  });

  it.each<[string, Pod, string]>([
    ['has no owner', aPod(), 'it has no owner that would replace it'],
    [
      'belongs to a StatefulSet',
      aPod({ owner: { kind: 'StatefulSet', name: 'db', uid: 'db' } }),
      'it belongs to a StatefulSet, and only Deployments start a new pod before they remove the old one',
    ],
  ])('is missing if the pod %s', async (_, one, why) => {
    expect(await cluster.restartOwner(one)).toEqual({ outcome: 'refused', why });
  });

  it('is not looked for if the ReplicaSet is gone', async () => {
    expect(await cluster.restartOwner(pod)).toEqual({ outcome: 'under-way' });
  });
});
