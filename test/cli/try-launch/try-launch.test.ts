import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findClaim } from '../../../cli/try-launch/observe-launch.ts';
import { buildTestPod, createTestPod } from '../../../cli/try-launch/test-pod.ts';
import type { KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aLiveNodeClaim, aLivePool, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aFolder, documentOf, mortise } from '../call.ts';

const NODE_POOL = { name: 'general', taints: [{ key: 'team', effect: 'NoSchedule' }] };
const REVIEWS = '/selfsubjectaccessreviews';

/** A cluster with a NodePool, and a user with or without rights. */
async function aCluster({ allowed }: { readonly allowed: boolean }) {
  const double = await startApiDouble();
  onTestFinished(double.close);
  double.put(COLLECTIONS.pools, aLivePool());
  const review = { status: 201, body: { status: { allowed } } };
  double.fail(REVIEWS, review, 5);
  const config = {
    'current-context': 'admin@shop',
    contexts: [{ name: 'admin@shop', context: { cluster: 'shop', user: 'admin' } }],
    clusters: [{ name: 'shop', cluster: { server: double.url } }],
    users: [{ name: 'admin', user: { token: 'secret' } }],
  };
  const kubeconfig = join(await aFolder({ config: JSON.stringify(config) }), 'config');
  const env = { AWS_REGION: 'us-east-1' };
  return {
    double,
    call: (...flags: readonly string[]) =>
      mortise(['try-launch', '--kubeconfig', kubeconfig, '--region', 'us-east-1', ...flags], {
        env,
      }),
  };
}

const api = (status: number, body: unknown): KubernetesApi => ({
  send: async () => ({ status, body }),
  read: () => Promise.reject(new Error('not read here')),
  stream: () => Promise.reject(new Error('no watch here')),
});

describe('mortise try-launch', () => {
  it('never uses the current context of the kubeconfig', async () => {
    const { code, stderr } = await mortise(['try-launch', '--yes', 'shop']);

    expect(code).toBe(2);
    expect(stderr).toContain('no cluster is named');
  });

  it('creates nothing without a confirmation', async () => {
    const { double, call } = await aCluster({ allowed: true });
    const outcome = await call('-o', 'json');

    expect(outcome.code).toBe(0);
    expect(documentOf(outcome).result).toMatchObject({ nodePool: 'general', outcome: 'planned' });
    expect(double.requests.filter(({ path }) => path.endsWith('/pods'))).toEqual([]);
  });

  it('names every right that is missing, before it asks', async () => {
    const { double, call } = await aCluster({ allowed: false });
    const { code, stderr } = await call('--yes', 'shop', '-n', 'team-a');

    expect(code).toBe(4);
    expect(stderr).toContain('may not create pods in namespace team-a');
    expect(stderr).toContain('may not delete nodeclaims');
    expect(double.requests.filter(({ path }) => path.endsWith('/pods'))).toEqual([]);
  });

  it('lists the NodePools if it cannot know which one is meant', async () => {
    const { double, call } = await aCluster({ allowed: true });
    double.put(COLLECTIONS.pools, aLivePool({ metadata: { name: 'batch' } }));

    expect((await call()).stderr).toContain('--nodepool NAME');
    expect(await call('--nodepool', 'nope')).toMatchObject({ code: 5 });
  });
});

describe('the pod of mortise try-launch', () => {
  it('needs a new node of the NodePool, and tolerates its taints alone', () => {
    const { spec } = buildTestPod({
      ...{ pool: NODE_POOL, namespace: 'default', instanceType: 'm7g.large' },
      presentNodes: ['ip-1', 'ip-2'],
    });
    const [term] = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;

    expect(term?.matchExpressions).toEqual([
      { key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7g.large'] },
      { key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['ip-1', 'ip-2'] },
    ]);
    expect(spec.tolerations).toEqual([{ key: 'team', effect: 'NoSchedule', operator: 'Exists' }]);
  });

  it.each([
    ['admission webhook "validate.kyverno.svc" denied the request: no', 'the policy webhook validate.kyverno.svc'],
    [
      "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'ours' with binding 'b' denied request: no",
      'the ValidatingAdmissionPolicy ours',
    ],
    ['pods "x" is forbidden: violates PodSecurity "restricted"', 'the API server'],
  ])('is refused by name: %s', async (message, by) => {
    const pod = buildTestPod({ pool: NODE_POOL, namespace: 'default', presentNodes: [] });
    const created = createTestPod(api(403, { kind: 'Status', message }), pod);

    await expect(created).rejects.toMatchObject({
      problems: [{ code: 'rule-refused', what: `${by} refuses the pod`, why: message }],
    });
  });
});

describe('the NodeClaim of the pod of mortise try-launch', () => {
  const EARLIER = aLiveNodeClaim({
    metadata: { name: 'general-1', creationTimestamp: '2026-01-05T08:00:00Z' },
    status: { nodeName: 'ip-1' },
  });
  const pod = {
    namespace: 'default',
    name: 'mortise-try-launch-1',
    uid: 'u',
    createdAt: Date.parse('2026-01-05T08:00:30Z'),
  };
  const find = (boundTo: string | undefined) =>
    findClaim(
      {
        api: {
          ...api(200, {}),
          read: async () => ({ kind: 'NodeClaimList', metadata: { resourceVersion: '1' }, items: [EARLIER] }),
        },
        findRecord: async () => undefined,
      },
      { pod, pool: 'general', events: [], ...(boundTo !== undefined && { boundTo }) },
    );

  it('may have been under way before the pod, if it is bound there', async () => {
    expect((await find('ip-1'))?.object.name).toBe('general-1');
  });

  it.each([undefined, 'ip-2'])('is no earlier one otherwise: bound to %s', async (boundTo) => {
    expect(await find(boundTo)).toBeUndefined();
  });
});
