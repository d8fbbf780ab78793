import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applySetup } from '../../../shared/kubernetes/setup/kubernetes-setup.ts';
import { removeSetup } from '../../../shared/kubernetes/setup/remove-setup.ts';
import { NOON } from '../../support/builders.ts';
import { conflict } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';

const HOOKS = { url: 'https://host/h/demo/t', certificateAuthorities: 'PEM' };
const clock = { now: () => NOON };
const TERMINATION = 'karpenter.sh/termination';

let server: ApiDouble;
beforeEach(async () => {
  server = await startApiDouble();
});
afterEach(() => server.close());

const remove = () => removeSetup(connect(server).api, clock);

const aNode = (name: string, labels: Record<string, string>) => ({
  metadata: { name, labels, finalizers: [TERMINATION, 'example.com/other'] },
  spec: { providerID: `aws:///a/i-${name}` },
});
const OURS = { 'karpenter.sh/nodepool': 'general' };

const finalizersOf = (collection: string, name: string) =>
  server.table.find(collection, `/${name}`)?.metadata.finalizers;

/** In the order of removal. */
const ROLES = [
  'mortise-poll',
  'mortise-node-class',
  'mortise-sweep',
  'mortise-interruption',
  'mortise-disruption',
  'mortise-node-lifecycle',
  'mortise-provisioning',
  'mortise-controller',
  'mortise-reader',
];

describe('the removal of our part from a cluster', () => {
  it('starts with the webhooks and keeps CRDs', async () => {
    await applySetup(
      connect(server).api,
      { crds: [], hooks: HOOKS, isAdministrator: true, keepsOldRules: false },
      { clock, sleep: async () => {} },
    );

    const report = await remove();

    const deleted = server.requests
      .filter(({ method }) => method === 'DELETE')
      .map(({ path }) => path.split('/').slice(4).join(' '));
    expect(deleted).toEqual([
      'validatingwebhookconfigurations mortise',
      'clusterrolebindings mortise-webhook-control',
      'namespaces kube-system rolebindings mortise-owner-lease',
      ...ROLES.map((name) => `clusterrolebindings ${name}`),
      'clusterroles mortise-webhook-control',
      'clusterroles mortise-owner-lease',
      ...ROLES.map((name) => `clusterroles ${name}`),
      'flowschemas mortise-drains',
      'flowschemas mortise-lists',
      'flowschemas mortise-controller',
      'clusterroles mortise-cluster-setup',
    ]);
    expect(report).toEqual({ orphans: [], isHandedOver: false, runningNodes: [] });
  });

  it('is idempotent', async () => {
    expect(await remove()).toEqual(await remove());
  });

  it('removes finalizers of nodes, claims and classes and lists the running nodes', async () => {
    server.put(COLLECTIONS.nodes, aNode('ours', OURS));
    server.put(COLLECTIONS.claims, {
      metadata: { name: 'general-1', finalizers: [TERMINATION] },
      spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'a' } },
    });
    server.put(COLLECTIONS.nodeClasses, {
      metadata: { name: 'default', finalizers: ['karpenter.k8s.aws/termination'] },
    });

    const report = await remove();

    expect(report.runningNodes).toEqual([{ name: 'ours', providerId: 'aws:///a/i-ours' }]);
    expect(finalizersOf(COLLECTIONS.nodes, 'ours')).toEqual(['example.com/other']);
    expect(finalizersOf(COLLECTIONS.claims, 'general-1')).toEqual([]);
    expect(finalizersOf(COLLECTIONS.nodeClasses, 'default')).toEqual([]);
  });

  it.each([
    ['of a managed node group', {}],
    ['of EKS Auto Mode', { ...OURS, 'eks.amazonaws.com/compute-type': 'auto' }],
  ])('leaves a node %s unchanged', async (_, labels) => {
    server.put(COLLECTIONS.nodes, aNode('strange', labels));

    expect((await remove()).runningNodes).toEqual([]);
    expect(finalizersOf(COLLECTIONS.nodes, 'strange')).toContain(TERMINATION);
  });

  it('leaves a claim of EKS Auto Mode unchanged', async () => {
    server.put(COLLECTIONS.claims, {
      metadata: { name: 'auto', finalizers: [TERMINATION] },
      spec: { nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' } },
    });
    await remove();
    expect(finalizersOf(COLLECTIONS.claims, 'auto')).toEqual([TERMINATION]);
  });

  it('removes the finalizer of a node that changes meanwhile', async () => {
    server.put(COLLECTIONS.nodes, aNode('busy', OURS));
    server.fail('/nodes/busy', conflict('busy'), 1);

    await remove();

    expect(finalizersOf(COLLECTIONS.nodes, 'busy')).toEqual(['example.com/other']);
  });

  it('works in a cluster without the CRDs', async () => {
    server.unserved.add(COLLECTIONS.claims).add(COLLECTIONS.nodeClasses);
    expect((await remove()).orphans).toEqual([]);
  });

  it.each([
    ['leaves nodes to a Karpenter that renews its lease', NOON_TEXT, true],
    ['ignores a Karpenter whose lease has expired', '2026-01-01T11:58:00Z', false],
  ])('%s', async (_, renewTime, isHandedOver) => {
    server.put(COLLECTIONS.leases, {
      metadata: { name: 'karpenter-leader-election', namespace: 'karpenter' },
      spec: { holderIdentity: 'karpenter-1', renewTime },
    });
    server.put(COLLECTIONS.nodes, aNode('ours', OURS));

    expect(await remove()).toMatchObject({ orphans: [], isHandedOver });
    expect(finalizersOf(COLLECTIONS.nodes, 'ours')?.includes(TERMINATION)).toBe(isHandedOver);
  });
});

describe.each(['expensive-pool', 'surplus'])('the taint mortise.sh/%s', (taint) => {
  const TEAM = { key: 'team', value: 'a', effect: 'PreferNoSchedule' };
  const STEERING = { key: `mortise.sh/${taint}`, effect: 'PreferNoSchedule' };
  const aTaintedNode = (name: string) => ({
    ...aNode(name, OURS),
    spec: { providerID: `aws:///a/i-${name}`, taints: [TEAM, STEERING] },
  });
  const listTaints = (name: string) => {
    const { taints } = server.table.find(COLLECTIONS.nodes, `/${name}`)?.spec ?? {};
    return taints;
  };

  it('is removed from nodes that keep running, also if Karpenter runs them from now on', async () => {
    server.put(COLLECTIONS.leases, {
      metadata: { name: 'karpenter-leader-election', namespace: 'karpenter' },
      spec: { holderIdentity: 'karpenter-1', renewTime: NOON_TEXT },
    });
    server.put(COLLECTIONS.nodes, aTaintedNode('ours'));
    await remove();

    expect(listTaints('ours')).toEqual([TEAM]);
  });

  it('is removed from a node that changes meanwhile', async () => {
    server.put(COLLECTIONS.nodes, aTaintedNode('busy'));
    server.fail('/nodes/busy', conflict('busy'), 2);
    await remove();

    expect(listTaints('busy')).toEqual([TEAM]);
  });
});

describe('the removal from an unreachable cluster', () => {
  it('does not fail and names what may be left', async () => {
    const { api } = connect(server);
    await server.close();

    const report = await removeSetup(api, clock);

    expect(report.why).toContain('the API server does not answer');
    expect(report.orphans[0]).toBe('ValidatingWebhookConfiguration mortise');
    expect(report.orphans).toHaveLength(10 + 2 * ROLES.length);
  });

  it('names only what was not removed', async () => {
    // A closed pooled connection is retried once.
    server.fail('/flowschemas/mortise-controller', 'cut', 2);
    expect((await remove()).orphans).toEqual([
      'FlowSchema mortise-controller',
      'ClusterRole mortise-cluster-setup',
      'the finalizers of nodes, NodeClaims and EC2NodeClasses, taints of nodes',
    ]);
  });
});
