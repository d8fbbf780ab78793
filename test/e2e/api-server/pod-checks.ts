import { applyEffects } from '../../../shared/controllers/node-claim/apply-effects.ts';
import type { KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { claimKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesPendingPods } from '../../../shared/kubernetes/kubernetes-pending-pods.ts';
import { aFakeWorld } from '../../controllers/support/fake-ports.ts';
import { aNodeClaim } from '../../support/builders.ts';
import { listAt, textAt } from '../lab/json.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect } from '../scenario.ts';

const PODS = '/api/v1/namespaces/default/pods';
const NAME = 'held-by-finalizer';
const POD = { resource: 'pods', path: `${PODS}/${NAME}` };

const isUnschedulable = (pod: unknown): boolean =>
  listAt(pod, 'status', 'conditions').some((condition) => textAt(condition, 'reason') === 'Unschedulable');

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
  await waitUntil('kube-scheduler to give up', async () => isUnschedulable(await api.read({ ...POD, verb: 'get' })));
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

const NODE = 'node-of-a-storm';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const BUDGET = { resource: 'poddisruptionbudgets', path: `${BUDGETS}/crowded` };
/** The eviction API answers 403 while a budget has more unconfirmed evictions than this. */
const MAX_DISRUPTED_PODS = 2_000;

/**
 * A mass eviction fills the status of a budget, and the eviction API then refuses its pods with 403. The
 * other pods of the node must be evicted in the same step.
 */
export async function checkRefusedEviction(api: KubernetesApi): Promise<void> {
  const create = (resource: string, path: string, body: object) => api.read({ verb: 'create', resource, path, body });
  const patch = (of: { readonly resource: string; readonly path: string }, body: object) =>
    api.read({
      ...{ verb: 'patch', resource: of.resource, path: `${of.path}/status`, body },
      contentType: 'application/merge-patch+json',
    });
  const namespace = await api.read({
    ...{ verb: 'get', resource: 'namespaces', path: '/api/v1/namespaces/default' },
  });
  // The disruption controller knows no such controller of pods. It then leaves the status as it is.
  const owner = {
    ...{ apiVersion: 'v1', kind: 'Namespace', name: 'default', controller: true },
    uid: textAt(namespace, 'metadata', 'uid'),
  };
  const startPod = async (name: string, metadata: object): Promise<void> => {
    const spec = { nodeName: NODE, containers: [{ name: 'app', image: 'app' }] };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec };
    await create('pods', PODS, body);
    const conditions = [{ type: 'Ready', status: 'True' }];
    const path = `${PODS}/${name}`;
    await patch({ resource: 'pods', path }, { status: { phase: 'Running', conditions } });
  };

  await startPod('crowded', { labels: { app: 'crowded' }, ownerReferences: [owner] });
  await startPod('free', {});
  await create('poddisruptionbudgets', BUDGETS, {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'crowded' } },
    spec: { maxUnavailable: '50%', selector: { matchLabels: { app: 'crowded' } } },
  });
  const disruptedPods = Object.fromEntries(
    Array.from({ length: MAX_DISRUPTED_PODS + 1 }, (_, index) => [`pod-${index}`, new Date().toISOString()]),
  );
  await patch(BUDGET, { status: { observedGeneration: 1, disruptionsAllowed: 1, disruptedPods } });
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'crowded' } };
  const refusal = await api.send({
    ...{ verb: 'create', resource: 'pods/eviction', path: `${PODS}/crowded/eviction` },
    body: eviction,
  });
  expect(refusal.status === 403, `the API server answers ${JSON.stringify(refusal)}`);

  const { ports, events } = aFakeWorld();
  const cluster = claimKubernetesCluster({ api, clock: ports.clock });
  const pods = (await cluster.podsOnNodes?.([NODE])) ?? [];
  const inOrder = pods.toSorted((a, b) => a.name.localeCompare(b.name));
  const { refusals } = await applyEffects(
    { ...ports, cluster: { ...ports.cluster, evict: cluster.evict } },
    inOrder.map((pod) => ({ kind: 'evict', pod })),
    aNodeClaim(),
  );
  const refused = refusals.map((one) => `${one.pod.name} by ${'pdb' in one ? one.pdb : one.why}`);
  expect(refused.join() === 'crowded by crowded', `refused: ${refused.join()}`);
  const evicted = events.flatMap((event) => (event.kind === 'evicted' ? [event.pod] : []));
  expect(evicted.join() === 'default/free', `evicted: ${evicted.join()}`);

  const now = { gracePeriodSeconds: 0 };
  for (const name of ['crowded', 'free'])
    await api.send({ verb: 'delete', resource: 'pods', path: `${PODS}/${name}`, body: now });
  await api.read({ ...BUDGET, verb: 'delete' });
}
