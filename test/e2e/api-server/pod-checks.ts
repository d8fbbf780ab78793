import type { KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { kubernetesPendingPods } from '../../../shared/kubernetes/kubernetes-pending-pods.ts';
import { listAt, textAt } from '../lab/json.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect } from '../scenario.ts';

const PODS = '/api/v1/namespaces/default/pods';
const NAME = 'held-by-finalizer';
const POD = { resource: 'pods', path: `${PODS}/${NAME}` };

const isUnschedulable = (pod: unknown): boolean =>
  listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'reason') === 'Unschedulable',
  );

/**
 * A pod that kube-scheduler has given up keeps its condition after its deletion, as long as a finalizer
 * holds it. It must count as pending before, and not after.
 */
export async function checkDeletedPod(api: KubernetesApi): Promise<void> {
  const { fingerprint } = kubernetesPendingPods(api);
  const before = await fingerprint();
  await api.read({
    ...{ verb: 'create', resource: 'pods', path: PODS },
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: NAME, finalizers: ['example.com/never'] },
      spec: {
        nodeSelector: { 'example.com/no': 'node' },
        containers: [{ name: 'app', image: 'app' }],
      },
    },
  });
  await waitUntil('kube-scheduler to give up', async () =>
    isUnschedulable(await api.read({ ...POD, verb: 'get' })),
  );
  expect((await fingerprint()) !== before, 'the pod is not pending');

  await api.read({ ...POD, verb: 'delete' });
  const pod = await api.read({ ...POD, verb: 'get' });
  expect(textAt(pod, 'metadata', 'deletionTimestamp') !== '', 'the pod is not being deleted');
  expect(isUnschedulable(pod), 'its condition is gone');
  expect((await fingerprint()) === before, 'a pod that is being deleted is pending');
  await api.read({
    ...{ ...POD, verb: 'patch', contentType: 'application/merge-patch+json' },
    body: { metadata: { finalizers: null } },
  });
}
