import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { isNewer, RELEASE } from '../../../shared/kubernetes/setup/crd-ownership.ts';
import { applySetup } from '../../../shared/kubernetes/setup/kubernetes-setup.ts';
import { NOON } from '../../support/builders.ts';
import { MISSING_RIGHT, refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { rawObjectSchema } from '../support/raw-object.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOOKS = { url: 'https://host/h/demo/t', certificateAuthorities: 'PEM' };

const aCrd = (name: string, metadata: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name, ...metadata },
  spec: { versions: [{ name: 'v1', served: true }] },
});
const SLOW = 'slow.karpenter.sh';
const NODE_POOLS = aCrd('nodepools.karpenter.sh');
const NODE_CLAIMS = aCrd('nodeclaims.karpenter.sh');

let server: ApiDouble;
let now: number;
let slept: number[];
const timeouts = {
  clock: { now: () => now },
  sleep: async (ms: number) => {
    slept.push(ms);
    now += ms;
  },
};

beforeEach(async () => {
  server = await startApiDouble();
  now = NOON;
  slept = [];
  establish();
});
afterEach(() => server.close());

/** Like the API server: each CRD is served a moment after it was written. */
function establish(): void {
  server.table.watch(CRDS, ({ type, object }) => {
    const { metadata } = rawObjectSchema.parse(object);
    if (type !== 'ADDED' || metadata.name === SLOW) return;
    const status = { conditions: [{ type: 'Established', status: 'True' }] };
    queueMicrotask(() => server.put(CRDS, { ...rawObjectSchema.parse(object), status }));
  });
}

const apply = (settings: Partial<Parameters<typeof applySetup>[1]> = {}) =>
  applySetup(
    connect(server).api,
    {
      crds: [NODE_POOLS, NODE_CLAIMS],
      isAdministrator: true,
      keepsOldRules: false,
      ...settings,
    },
    timeouts,
  );

/** `ClusterRole mortise-reader` and so on, in the order of the writes. */
const written = (): readonly string[] =>
  server.requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => rawObjectSchema.parse(body))
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

const ROLES = [
  'mortise-reader',
  'mortise-controller',
  'mortise-provisioning',
  'mortise-node-lifecycle',
  'mortise-disruption',
  'mortise-interruption',
  'mortise-sweep',
  'mortise-node-class',
  'mortise-poll',
];

/** Bound in one namespace. */
const LEASE = 'mortise-owner-lease';

const SETUP_RIGHTS = ['mortise-cluster-setup', 'mortise-webhook-control'].flatMap((name) => [
  `ClusterRole ${name}`,
  `ClusterRoleBinding ${name}`,
]);
const CLUSTER_ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

describe('the rights in the cluster', () => {
  it('of the set-up itself, and bindings, are written by an administrator only', async () => {
    await apply({ isAdministrator: false });

    expect(written().filter((name) => name.startsWith('ClusterRole '))).toEqual(
      [...ROLES, LEASE].map((name) => `ClusterRole ${name}`),
    );
    expect(written().filter((name) => name.includes('RoleBinding'))).toEqual([]);
  });

  it('of the set-up are deleted with its role, by the garbage collector', async () => {
    await apply();

    const role = server.table.find(CLUSTER_ROLES, '/mortise-cluster-setup');
    expect(server.table.find(BINDINGS, '/mortise-cluster-setup')).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: 'ClusterRole', name: 'mortise-cluster-setup', uid: role?.metadata.uid }],
      },
    });
  });

  it('of the previous release stay during a deployment, and are removed an hour later', async () => {
    const old = { apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] };
    const sweep = { metadata: { name: 'mortise-sweep' }, rules: [old] };
    server.put(CLUSTER_ROLES, sweep);
    const rulesOfSweep = () =>
      z.object({ rules: z.array(z.unknown()) }).parse(server.table.find(CLUSTER_ROLES, '/mortise-sweep')).rules;

    await apply({ keepsOldRules: true });
    const during = rulesOfSweep();
    await apply({ keepsOldRules: true });
    expect(rulesOfSweep()).toEqual(during);
    await apply({ isAdministrator: false });

    expect(during).toEqual([...rulesOfSweep(), old]);
    expect(rulesOfSweep().length).toBeGreaterThan(1);
  });
});

describe('the setup of a cluster', () => {
  it('applies CRDs, then rights and priorities, then webhooks', async () => {
    await apply({ hooks: HOOKS });

    expect(written()).toEqual([
      'CustomResourceDefinition nodepools.karpenter.sh',
      'CustomResourceDefinition nodeclaims.karpenter.sh',
      ...[...ROLES, LEASE].map((name) => `ClusterRole ${name}`),
      ...ROLES.map((name) => `ClusterRoleBinding ${name}`),
      `RoleBinding ${LEASE}`,
      ...SETUP_RIGHTS,
      'FlowSchema mortise-drains',
      'FlowSchema mortise-lists',
      'FlowSchema mortise-controller',
      'ValidatingWebhookConfiguration mortise',
    ]);
  });

  it('uses forced server-side apply with one field manager', async () => {
    await apply();
    for (const { method, contentType, query } of server.requests) {
      if (method !== 'PATCH') continue;
      expect(contentType).toBe('application/apply-patch+yaml');
      expect(query.toString()).toBe('fieldManager=mortise-setup&force=true');
    }
  });

  it('waits until every CRD is served', async () => {
    await expect(apply({ crds: [aCrd(SLOW)] })).rejects.toThrow(
      'the definition slow.karpenter.sh and does not serve it',
    );
    expect(written()).toEqual([`CustomResourceDefinition ${SLOW}`]);
    expect(now - NOON).toBe(60_000);
  });

  it('leaves webhooks unchanged if none are given', async () => {
    await apply({ hooks: HOOKS });
    await apply();
    expect(written().filter((name) => name.startsWith('Validating'))).toHaveLength(1);
  });

  it('does not start with an address that the API server would refuse', async () => {
    await expect(apply({ hooks: { ...HOOKS, url: 'https://host/?a' } })).rejects.toThrow('a query');
    expect(server.requests).toEqual([]);
  });

  it('is idempotent', async () => {
    await apply({ hooks: HOOKS });
    const version = server.table.version();
    await apply({ hooks: HOOKS });
    expect(server.table.version()).toBe(version);
  });
});

describe('a CustomResourceDefinition', () => {
  it.each<[string, object, string]>([
    ['of Helm', { annotations: { 'meta.helm.sh/release-name': 'karpenter' } }, 'Helm'],
    ['that Helm manages', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, 'Helm'],
    ['of Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'a' } }, 'Argo CD'],
    ['of Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'infra' } }, 'Flux'],
    ['of EKS Auto Mode', { labels: { 'app.kubernetes.io/managed-by': 'eks' } }, 'eks'],
    ['of an unknown manager', {}, 'the tool that installed it'],
    [
      'that a newer release of ours wrote',
      {
        labels: { 'app.kubernetes.io/managed-by': 'mortise' },
        annotations: { 'mortise.sh/release': '99.0.0' },
      },
      'Mortise 99.0.0',
    ],
    [
      'of ours that a GitOps tool took over',
      {
        labels: { 'app.kubernetes.io/managed-by': 'mortise' },
        annotations: { 'argocd.argoproj.io/tracking-id': 'a' },
      },
      'Argo CD',
    ],
  ])('%s is checked, left unchanged and reported', async (_, metadata, keeper) => {
    server.put(CRDS, aCrd('nodepools.karpenter.sh', metadata));

    const remaining = await apply({ crds: [NODE_POOLS] });

    expect(remaining).toEqual([{ name: 'nodepools.karpenter.sh', keeper, version: 'v1', isUsable: true }]);
    expect(written()).not.toContain('CustomResourceDefinition nodepools.karpenter.sh');
  });

  it('of another manager is reported as unusable if it does not serve our version', async () => {
    server.put(CRDS, {
      ...NODE_POOLS,
      spec: {
        versions: [
          { name: 'v1beta1', served: true },
          { name: 'v1', served: false },
        ],
      },
    });
    const [remaining] = await apply({ crds: [NODE_POOLS] });
    expect(remaining).toMatchObject({ isUsable: false });
  });

  it('of another manager is usable in the version of our own definition, which is not v1 for all', async () => {
    const spec = { versions: [{ name: 'v1alpha1', served: true }] };
    const own = { ...aCrd('nodeoverlays.karpenter.sh'), spec };
    server.put(CRDS, own);
    expect(await apply({ crds: [own] })).toMatchObject([{ version: 'v1alpha1', isUsable: true }]);
  });

  it('of our older release is replaced', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'mortise' };
    const annotations = { 'mortise.sh/release': '0.0.9' };
    const status = { conditions: [{ type: 'Established', status: 'True' }] };
    server.put(CRDS, { ...aCrd('nodepools.karpenter.sh', { labels, annotations }), status });

    expect(await apply({ crds: [NODE_POOLS] })).toEqual([]);
    expect(server.table.find(CRDS, '/nodepools.karpenter.sh')).toMatchObject({
      metadata: { annotations: { 'mortise.sh/release': RELEASE } },
    });
  });
});

describe('a new access entry that is not known everywhere yet', () => {
  const FORBIDDEN = MISSING_RIGHT;

  it('is retried for more than 60 s', async () => {
    server.fail('/nodepools.karpenter.sh', FORBIDDEN, 20);

    await apply({ crds: [NODE_POOLS] });

    expect(now - NOON).toBe(60_000);
    expect(written()).toContain('ClusterRole mortise-controller');
  });

  it('is retried if the identity is unknown', async () => {
    // Each try sends two requests, the second with a new token.
    server.fail('/nodepools.karpenter.sh', refusal(401, 'Unauthorized', 'who are you'), 4);
    await apply({ crds: [NODE_POOLS] });
    expect(slept).toEqual([3_000, 3_000]);
  });

  it('is retried while an API server is being replaced', async () => {
    server.fail('/nodepools.karpenter.sh', refusal(503, 'ServiceUnavailable', 'not now'), 2);
    await apply({ crds: [NODE_POOLS] });
    expect(slept).toEqual([3_000, 3_000]);
  });

  it('fails after 90 s', async () => {
    server.fail('/nodepools.karpenter.sh', FORBIDDEN, 100);

    await expect(apply({ crds: [NODE_POOLS] })).rejects.toThrow('not allowed');
    expect(now - NOON).toBe(90_000);
  });
});

describe('the release', () => {
  it('equals the version of the package', () => {
    expect(RELEASE).toBe(packageJson.version);
  });

  it.each([
    ['1.0.0', '0.9.9', true],
    ['0.10.0', '0.9.0', true],
    ['0.1.0', '0.1.0', false],
    ['0.1.0', '0.1', false],
    ['0.1.1', '0.1', true],
    ['0.0.9', '0.1.0', false],
    ['1.0.0-rc.1', '1.0.0', false],
  ])('%s is newer than %s: %s', (release, than, expected) => {
    expect(isNewer(release, than)).toBe(expected);
  });
});
