import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiForbiddenError,
  ApiRefusedError,
  ApiUnreachableError,
} from '../../../shared/kubernetes/client/api-errors.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { PodHeldError, StaleObjectError } from '../../../shared/model/errors.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { MISSING_RIGHT, refusal, refusalOfBudget } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveBudget, aLiveNode, aLiveRunningPod, COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';

const { pods, nodes, budgets } = COLLECTIONS;

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
});
afterEach(async () => double.close());

const pod = aPod({ uid: 'uid-web-1' });

/** Refusals that concern a single pod. */
const KEPT = [
  [
    'a webhook denies it',
    refusal(403, 'Forbidden', 'admission webhook "guard.shop" denied the request: business hours'),
    'business hours',
  ],
  [
    'an admission plugin denies it',
    refusal(403, 'Forbidden', 'pods "web-1" is forbidden: not in this namespace'),
    'not in this namespace',
  ],
  [
    'an admission policy denies it',
    refusal(422, 'Invalid', "ValidatingAdmissionPolicy 'keep' denied request: leave it"),
    'leave it',
  ],
  [
    'a webhook does not answer',
    refusal(500, 'InternalError', 'failed calling webhook "guard.shop": no endpoints'),
    'no endpoints',
  ],
] as const;

describe('a change of a Node', () => {
  const conflict = refusal(409, 'Conflict', 'the object has been modified');
  const observedNode = async (): Promise<Node> => {
    const [node] = (await cluster.observe()).nodes;
    if (!node) throw new Error('no Node');
    return node;
  };

  it('is patched with the compared version', async () => {
    const { metadata } = double.put(nodes, aLiveNode());

    await cluster.changeNode(await observedNode(), { labels: { team: 'shop' } });

    expect(double.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion: metadata.resourceVersion, labels: { team: 'shop' } },
      },
    });
  });

  it('is not refused because of a heartbeat since the observation', async () => {
    double.put(nodes, aLiveNode());
    const node = await observedNode();
    const heartbeat = { type: 'Ready', status: 'True', lastHeartbeatTime: NOON_TEXT };
    double.put(nodes, aLiveNode({ status: { conditions: [heartbeat] } }));

    await cluster.changeNode(node, { labels: { team: 'shop' } });

    expect((await observedNode()).labels.team).toBe('shop');
  });

  it('is retried if a heartbeat comes between read and write', async () => {
    double.put(nodes, aLiveNode());
    const node = await observedNode();
    double.fail('/nodes/node-1', { status: 200, body: double.table.find(nodes, '/node-1') });
    double.fail('/nodes/node-1', conflict);

    await cluster.changeNode(node, { labels: { team: 'shop' } });

    expect((await observedNode()).labels.team).toBe('shop');
  });

  it('is stale if every attempt conflicts', async () => {
    double.put(nodes, aLiveNode());
    const node = await observedNode();
    const stored = { status: 200, body: double.table.find(nodes, '/node-1') };
    for (let attempt = 0; attempt < 4; attempt += 1) {
      double.fail('/nodes/node-1', stored);
      double.fail('/nodes/node-1', conflict);
    }

    const change = cluster.changeNode(node, { labels: { team: 'shop' } });

    await expect(change).rejects.toThrow(StaleObjectError);
  });

  it('is stale for another Node of the same name', async () => {
    double.put(nodes, aLiveNode());
    const node = await observedNode();

    const change = cluster.changeNode({ ...node, uid: 'of-another-node' }, {});

    await expect(change).rejects.toThrow(StaleObjectError);
  });

  it('keeps the time of a taint that stays', async () => {
    const old = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' as const };
    double.put(nodes, aLiveNode({ spec: { taints: [{ ...old, timeAdded: NOON_TEXT }] } }));

    await cluster.changeNode(await observedNode(), { taints: [old, DISRUPTED_TAINT] });

    expect(double.table.find(nodes, '/node-1')?.spec?.taints).toEqual([
      { ...old, timeAdded: NOON_TEXT },
      DISRUPTED_TAINT,
    ]);
  });

  it('leads to an error if the API server refuses it', async () => {
    double.put(nodes, aLiveNode());
    const node = await observedNode();
    double.fail('/nodes/node-1', { status: 200, body: double.table.find(nodes, '/node-1') });
    double.fail('/nodes/node-1', refusal(422, 'Invalid', 'no label value'));

    await expect(cluster.changeNode(node, {})).rejects.toThrow(ApiRefusedError);
  });
});

describe('an eviction', () => {
  beforeEach(() => {
    double.put(pods, aLiveRunningPod());
  });

  it("names the pod's uid", async () => {
    await cluster.evict(pod);

    expect(double.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/web-1/eviction',
      body: { kind: 'Eviction', deleteOptions: { preconditions: { uid: 'uid-web-1' } } },
    });
  });

  it('succeeds if the pod is gone', async () => {
    expect(await cluster.evict(aPod({ name: 'gone' }))).toEqual({ outcome: 'gone' });
  });

  it('succeeds in a namespace that is being deleted', async () => {
    const cause = { reason: 'NamespaceTerminating', message: 'namespace default is terminating' };
    double.fail('/eviction', refusal(403, 'Forbidden', 'no new content', [cause]));

    expect(await cluster.evict(pod)).toEqual({ outcome: 'gone' });
  });

  it('names all budgets if several select the pod', async () => {
    double.put(budgets, aLiveBudget({ name: 'web' }));
    double.put(budgets, aLiveBudget({ name: 'all', spec: { selector: { matchLabels: {} } } }));
    double.put(budgets, aLiveBudget({ name: 'web', metadata: { namespace: 'other' } }));

    expect(await cluster.evict(pod)).toEqual({ outcome: 'refused', pdb: 'all, web' });
  });

  it('names the selecting budgets if the message does not', async () => {
    double.put(budgets, aLiveBudget());
    const cause = { reason: 'DisruptionBudget', message: 'later' };
    double.fail('/eviction', refusal(429, 'TooManyRequests', 'later', [cause]));

    expect(await cluster.evict(pod)).toEqual({ outcome: 'refused', pdb: 'web' });
  });

  it.each([
    'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    'pdb disruptions allowed is negative',
  ])('is refused by the budget whose state does not allow it: %s', async (why) => {
    double.fail('/eviction', refusalOfBudget('web', why));

    expect(await cluster.evict(pod)).toEqual({ outcome: 'refused', pdb: 'web' });
  });

  it('is not refused by a budget if a busy server throttles it', async () => {
    double.fail('/eviction', {
      ...refusal(429, 'TooManyRequests', 'too many requests, please try again later.'),
      headers: { 'retry-after': '1' },
    });

    expect(await cluster.evict(pod)).toEqual({ outcome: 'evicted' });
  });

  it.each(KEPT)('leads to PodHeldError if %s', async (_, answer, why) => {
    double.fail('/eviction', answer);

    const held = await cluster.evict(pod).catch((error: unknown) => error);
    expect(held).toBeInstanceOf(PodHeldError);
    expect(held).toHaveProperty('why', expect.stringContaining(why));
  });

  it.each([
    ['by a server that is shutting down', refusal(503, 'ServiceUnavailable', 'shutting down'), ApiUnreachableError],
    ['for a missing right', MISSING_RIGHT, ApiForbiddenError],
  ])('leads to an error about the API server if it is refused %s', async (_, answer, errorClass) => {
    double.fail('/eviction', answer);

    await expect(cluster.evict(pod)).rejects.toThrow(errorClass);
  });
});

describe('a deletion', () => {
  it.each([
    [0, 0],
    [1, 1],
    [999, 1],
    [1_999, 1],
    [30_000, 30],
  ])('rounds a grace of %i ms to %i s, and only zero kills at once', async (ms, seconds) => {
    await cluster.deletePod(pod, ms);

    expect(double.requests.at(-1)?.body).toMatchObject({
      gracePeriodSeconds: seconds,
      preconditions: { uid: 'uid-web-1' },
    });
  });

  it.each(KEPT)('leads to PodHeldError if %s', async (_, answer, why) => {
    double.fail('/pods/web-1', answer);

    const held = await cluster.deletePod(pod, 1_000).catch((error: unknown) => error);
    expect(held).toBeInstanceOf(PodHeldError);
    expect(held).toHaveProperty('why', expect.stringContaining(why));
  });

  it('leads to an error if the API server refuses it', async () => {
    double.fail('/nodes/node-1', refusal(400, 'BadRequest', 'no'));

    await expect(cluster.deleteNode({ name: 'node-1', uid: 'uid-node-1' })).rejects.toThrow(ApiRefusedError);
  });
});
