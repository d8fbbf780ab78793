import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';

const OVERLAYS = '/apis/karpenter.sh/v1alpha1/nodeoverlays';
const BUFFERS = '/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers';
const gates = { ...DEFAULT_GATES, NodeOverlay: true, CapacityBuffer: true };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
};

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON }, gates });
});
afterEach(async () => double.close());

const putBuffer = (spec: Record<string, unknown>) =>
  double.put(BUFFERS, { metadata: { name: 'spare', namespace: 'shop' }, spec });
const bufferSeen = async () => (await cluster.observe()).buffers?.[0];

describe('NodeOverlays', () => {
  it('are read with their changes', async () => {
    const requirement = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] };
    double.put(OVERLAYS, {
      metadata: { name: 'cheap' },
      spec: {
        requirements: [requirement],
        priceAdjustment: '-10%',
        capacity: { 'example.com/dongle': '3' },
        weight: 7,
      },
    });
    expect((await cluster.observe()).overlays).toEqual([
      expect.objectContaining({
        name: 'cheap',
        weight: 7,
        requirements: [requirement],
        price: { kind: 'scale', share: -0.1 },
        capacity: { 'example.com/dongle': 3 },
      }),
    ]);
  });

  it('stay identical while they do not change', async () => {
    double.put(OVERLAYS, { metadata: { name: 'a' }, spec: { requirements: [], price: '0.5' } });
    const first = await cluster.observe();
    expect((await cluster.observe()).overlays).toBe(first.overlays);
  });

  it('are none if their kind is not served or their gate is off', async () => {
    double.unserved.add(OVERLAYS);
    expect((await cluster.observe()).overlays).toEqual([]);

    const usual = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
    expect((await usual.observe()).overlays).toBeUndefined();
  });
});

describe('CapacityBuffers', () => {
  it('have the pods of their PodTemplate', async () => {
    double.put('/api/v1/podtemplates', { metadata: { name: 'web', namespace: 'shop' }, template });
    putBuffer({ podTemplateRef: { name: 'web' }, replicas: 3, limits: { cpu: '2' } });

    expect(await bufferSeen()).toMatchObject({
      namespace: 'shop',
      name: 'spare',
      strategy: 'buffer.x-k8s.io/active-capacity',
      replicas: 3,
      limits: { cpu: 2000 },
      templateRef: { name: 'web' },
      template: { labels: { app: 'web' }, spec: { requests: { cpu: 1000, pods: 1 } } },
    });
  });

  it.each([
    ['Deployment', '/apis/apps/v1/deployments'],
    ['StatefulSet', '/apis/apps/v1/statefulsets'],
    ['ReplicaSet', '/apis/apps/v1/replicasets'],
  ])('have the pods of their %s, and its size', async (kind, collection) => {
    const metadata = { name: 'web', namespace: 'shop' };
    double.put(collection, { metadata, spec: { replicas: 8, template } });
    putBuffer({ scalableRef: { kind, name: 'web' }, percentage: 25 });

    expect(await bufferSeen()).toMatchObject({
      percentage: 25,
      scale: 8,
      template: { labels: { app: 'web' } },
    });
  });

  it.each([
    [{ podTemplateRef: { name: 'web' }, replicas: 1 }, 'PodTemplateNotFound'],
    [{ scalableRef: { kind: 'Deployment', name: 'web' }, replicas: 1 }, 'ScalableRefNotFound'],
    [{ scalableRef: { kind: 'Job', name: 'web' }, replicas: 1 }, 'ResolutionFailed'],
    [{ replicas: 1 }, 'ResolutionFailed'],
  ])('report for %j what is missing', async (spec, reason) => {
    putBuffer(spec);
    const buffer = await bufferSeen();
    expect(buffer?.problem?.reason).toBe(reason);
    expect(buffer?.template).toBeUndefined();
  });
});

describe('the status of an extension', () => {
  const report = (status: 'True' | 'False', uid: string) =>
    cluster.reportExtension({
      kind: 'CapacityBuffer',
      namespace: 'shop',
      name: 'spare',
      uid,
      generation: 1,
      fields: { replicas: 3 },
      conditions: [{ type: 'Provisioning', status, reason: 'Because', message: 'of that' }],
    });
  const patches = () => double.requests.filter(({ method }) => method === 'PATCH');

  it('is written once, with the transition time', async () => {
    const uid = `${putBuffer({ replicas: 3 }).metadata.uid}`;
    await report('True', uid);
    await report('True', uid);

    expect(patches().map(({ path }) => path)).toEqual([
      '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/shop/capacitybuffers/spare/status',
    ]);
    expect(double.table.find(BUFFERS, 'shop/spare')?.status).toMatchObject({
      replicas: 3,
      conditions: [
        {
          type: 'Provisioning',
          status: 'True',
          reason: 'Because',
          lastTransitionTime: '2026-01-01T12:00:00Z',
          observedGeneration: 1,
        },
      ],
    });
  });

  it('is not written to another object of the same name or to a missing one', async () => {
    putBuffer({ replicas: 3 });
    await report('True', 'of-another');
    double.table.remove(BUFFERS, 'shop/spare');
    await report('True', 'of-another');
    expect(patches()).toEqual([]);
  });
});
