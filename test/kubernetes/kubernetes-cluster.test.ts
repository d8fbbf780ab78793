import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiExpiredError, ApiForbiddenError, KindNotServedError } from '../../shared/kubernetes/client/api-errors.ts';
import { kubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import { NOON } from '../support/builders.ts';
import { MISSING_RIGHT, refusal } from './support/answers.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';
import {
  aLiveBudget,
  aLiveDaemonSet,
  aLiveNamespace,
  aLiveNode,
  aLiveNodeClaim,
  aLiveNodeClass,
  aLivePod,
  aLivePool,
  aLiveRunningPod,
  COLLECTIONS,
} from './support/live-objects.ts';

const NOW = NOON + 60_000;
const { pods, nodes, claims } = COLLECTIONS;

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOW } });
});
afterEach(async () => double.close());

function putStorage({ put }: ApiDouble): void {
  put('/api/v1/persistentvolumeclaims', {
    metadata: { name: 'data', namespace: 'default' },
    spec: { volumeName: 'pv-1', storageClassName: 'gp3' },
  });
  put('/api/v1/persistentvolumes', {
    metadata: { name: 'pv-1' },
    spec: { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } },
  });
  put('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'gp3' },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  put('/apis/storage.k8s.io/v1/csinodes', {
    metadata: { name: 'node-1' },
    spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count: 26 } }] },
  });
}

const namesOf = (objects: readonly { readonly name: string }[]): string[] => objects.map(({ name }) => name);
const queriesOf = (path: string): string[] =>
  double.requests.filter((request) => request.path === path).map(({ query }) => query.toString());

describe('an observation', () => {
  it('contains every kind that decisions read', async () => {
    double.put(COLLECTIONS.namespaces, aLiveNamespace());
    double.put(COLLECTIONS.pools, aLivePool());
    double.put(COLLECTIONS.nodeClasses, aLiveNodeClass());
    double.put(COLLECTIONS.daemonSets, aLiveDaemonSet());
    double.put(COLLECTIONS.budgets, aLiveBudget());
    double.put(nodes, aLiveNode());
    double.put(claims, aLiveNodeClaim());
    double.put(pods, aLivePod());
    putStorage(double);

    expect(await cluster.observe()).toEqual({
      pods: [expect.objectContaining({ name: 'web-1' })],
      nodes: [expect.objectContaining({ name: 'node-1' })],
      nodeClaims: [expect.objectContaining({ name: 'general-1' })],
      pools: [expect.objectContaining({ name: 'general', ready: true })],
      daemonSets: [expect.objectContaining({ name: 'agent' })],
      podDisruptionBudgets: [expect.objectContaining({ name: 'web' })],
      namespaces: { default: { 'kubernetes.io/metadata.name': 'default' } },
      storage: {
        claims: [expect.objectContaining({ namespace: 'default', name: 'data', volume: 'pv-1' })],
        volumes: [expect.objectContaining({ name: 'pv-1', driver: 'ebs.csi.aws.com' })],
        classes: [expect.objectContaining({ name: 'gp3', waitsForPod: true })],
        drivers: [{ name: 'node-1', attachLimits: { 'ebs.csi.aws.com': 26 } }],
      },
      lastPodEventAt: {},
      nodeClassReadiness: [{ name: 'default', generation: 1 }],
    });
  });

  it('is empty for an empty cluster', async () => {
    expect((await cluster.observe()).pods).toEqual([]);
  });

  it('reads the pods after everything else', async () => {
    await cluster.observe();

    expect(double.requests.at(-1)?.path).toBe(pods);
  });

  it('fetches pages of 500 until there are no more', async () => {
    double.pageSize = 2;
    for (const name of ['a', 'b', 'c', 'd', 'e']) double.put(pods, aLivePod({ name }));

    expect(namesOf((await cluster.observe()).pods)).toEqual(['a', 'b', 'c', 'd', 'e']);

    const queries = queriesOf(pods);
    expect(queries).toHaveLength(3);
    expect(queries[0]).toBe('limit=500');
    expect(queries[1]).toContain('continue=');
  });

  it('returns identical lists while nothing changes', async () => {
    double.put(COLLECTIONS.pools, aLivePool());
    double.put(COLLECTIONS.daemonSets, aLiveDaemonSet());
    double.put(nodes, aLiveNode());
    double.put(pods, aLiveRunningPod());
    const before = await cluster.observe();

    const after = await cluster.observe();

    for (const [name, list] of Object.entries(before)) {
      expect(Object.entries(after).find(([other]) => other === name)?.[1]).toBe(list);
    }
  });

  it('returns identical pods while another pod changes', async () => {
    double.put(pods, aLivePod({ name: 'a' }));
    double.put(pods, aLivePod({ name: 'b' }));
    const before = await cluster.observe();

    double.put(pods, aLiveRunningPod({ name: 'b' }));
    const after = await cluster.observe();

    expect(after.pods[0]).toBe(before.pods[0]);
    expect(after.pods[1]).toMatchObject({ nodeName: 'node-1' });
  });

  it('ignores heartbeats and pod counts', async () => {
    double.put(nodes, aLiveNode());
    double.put(COLLECTIONS.daemonSets, aLiveDaemonSet());
    const before = await cluster.observe();

    const heartbeat = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T12:05:00Z' };
    double.put(nodes, aLiveNode({ status: { conditions: [heartbeat] } }));

    double.put(COLLECTIONS.daemonSets, aLiveDaemonSet({ status: { numberReady: 1 } }));

    const after = await cluster.observe();
    expect(after.nodes).toBe(before.nodes);
    expect(after.daemonSets).toBe(before.daemonSets);
  });
});

describe('a list whose history ends', () => {
  const expired = refusal(410, 'Expired', 'too old');

  it('starts again from the first page', async () => {
    double.pageSize = 1;
    double.put(pods, aLivePod({ name: 'a' }));
    double.put(pods, aLivePod({ name: 'b' }));
    double.fail('/pods', expired);

    expect(namesOf((await cluster.observe()).pods)).toEqual(['a', 'b']);
  });

  it('fails after three starts', async () => {
    double.fail('/pods', expired, 3);

    await expect(cluster.observe()).rejects.toThrow(ApiExpiredError);
  });

  it('never combines pages of two resourceVersions', async () => {
    const items = [aLivePod({ name: 'ghost' })];
    const torn = [
      { status: 200, body: { metadata: { resourceVersion: '7', continue: 'x' }, items } },
      { status: 200, body: { metadata: { resourceVersion: '8' }, items: [] } },
    ];
    for (const answer of torn) double.fail('/pods', answer);

    expect((await cluster.observe()).pods).toEqual([]);
  });
});

describe('an observation that fails', () => {
  it('names the missing right', async () => {
    double.fail('/nodepools', MISSING_RIGHT);

    await expect(cluster.observe()).rejects.toMatchObject({
      constructor: ApiForbiddenError,
      action: { verb: 'list', resource: 'nodepools' },
    });
  });

  it('names the missing CRD', async () => {
    double.unserved.add(COLLECTIONS.pools);

    await expect(cluster.observe()).rejects.toMatchObject({
      constructor: KindNotServedError,
      resource: 'nodepools',
    });
  });

  it('fails as a whole if a later page is lost, and the next one is complete', async () => {
    double.put(pods, aLivePod());
    const items = [aLivePod({ name: 'half' })];
    const metadata = { resourceVersion: '7', continue: 'x' };
    double.fail('/pods', { status: 200, body: { metadata, items } });
    double.fail('/pods', refusal(500, 'InternalError', 'etcd'));

    await expect(cluster.observe()).rejects.toThrow('list pods');
    expect(namesOf((await cluster.observe()).pods)).toEqual(['web-1']);
  });
});

describe('an object that cannot be read', () => {
  it('is left out and named, with the actions that are unsafe without it', async () => {
    double.put(nodes, aLiveNode({ name: 'good' }));
    double.put(nodes, aLiveNode({ name: 'odd', spec: { taints: [{ key: 'a', effect: 'Shun' }] } }));

    const { nodes: read, unreadable } = await cluster.observe();

    expect(namesOf(read)).toEqual(['good']);
    expect(unreadable).toEqual([
      {
        kind: 'Node',
        name: 'odd',
        why: 'spec.taints[0].effect: effect "Shun" is unknown',
        forbids: ['launch', 'remove'],
      },
    ]);
  });

  it('is no longer named once it is readable or gone', async () => {
    double.put(nodes, aLiveNode({ name: 'odd', spec: { taints: 'none' } }));
    double.put(nodes, aLiveNode({ name: 'gone', spec: { taints: 'none' } }));
    expect((await cluster.observe()).unreadable).toHaveLength(2);

    double.put(nodes, aLiveNode({ name: 'odd' }));
    double.table.remove(nodes, '/gone');

    const { nodes: read, unreadable } = await cluster.observe();
    expect(namesOf(read)).toEqual(['odd']);
    expect(unreadable).toBeUndefined();
  });
});

describe('the last pod event of a node', () => {
  const eventAt = async (): Promise<number | undefined> => (await cluster.observe()).lastPodEventAt?.['node-1'];

  beforeEach(() => {
    double.put(nodes, aLiveNode());
    double.put(pods, aLiveRunningPod());
  });

  it('is when the pod was bound', async () => {
    expect(await eventAt()).toBe(NOON);
  });

  it('is when the pod was found to be gone', async () => {
    await cluster.observe();
    double.table.remove(pods, 'default/web-1');

    expect(await eventAt()).toBe(NOW);
  });

  it('never comes from a pod of a DaemonSet', async () => {
    double.table.remove(pods, 'default/web-1');
    const ownerReferences = [{ kind: 'DaemonSet', name: 'agent', uid: 'ds', controller: true }];
    double.put(pods, aLiveRunningPod({ name: 'agent-1', metadata: { ownerReferences } }));

    expect(await eventAt()).toBeUndefined();
  });

  it('is when its deletion was observed, although its grace period ends later', async () => {
    await cluster.observe();
    const pod = aLiveRunningPod();
    double.put(pods, {
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: new Date(NOON + HOUR_MS).toISOString() },
    });

    const at = await eventAt();
    expect(at).toBeGreaterThan(NOON);
    expect(at).toBeLessThan(NOON + HOUR_MS);
  });

  it('is removed with the node', async () => {
    await cluster.observe();
    double.table.remove(nodes, '/node-1');

    expect((await cluster.observe()).lastPodEventAt).toEqual({});
  });
});
