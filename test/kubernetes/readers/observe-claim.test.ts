import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import { createKubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { claimKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { ClaimObjects, ClaimQuery } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import {
  aLiveBudget,
  aLiveNode,
  aLiveNodeClass,
  aLivePool,
  aLiveRunningPod,
  COLLECTIONS,
} from '../support/live-objects.ts';
import type { RawObject } from '../support/raw-object.ts';

const { pods, nodes, budgets, pools, nodeClasses } = COLLECTIONS;
const clock = { now: () => NOON };

let double: ApiDouble;
beforeEach(async () => {
  double = await startApiDouble();
  double.put(pools, aLivePool());
  double.put(nodeClasses, aLiveNodeClass());
});
afterEach(() => double.close());

const NODE_LABELS = {
  'karpenter.sh/registered': 'true',
  'node.kubernetes.io/instance-type': 'm7g.large',
  'topology.kubernetes.io/zone': 'us-east-1a',
};

/** Registered Nodes with two pods each, of the Deployments `web` and `api`. */
function addNodes(count: number): void {
  for (let index = 1; index <= count; index += 1) {
    const name = `node-${index}`;
    const spec = { providerID: `aws:///us-east-1a/i-${index}` };
    double.put(nodes, aLiveNode({ name, spec, metadata: { labels: NODE_LABELS } }));
    for (const app of ['web', 'api']) {
      const metadata = { labels: { app } };
      double.put(pods, aLiveRunningPod({ name: `${app}-${index}`, metadata, spec: { nodeName: name } }));
    }
  }
}

const INSTANCE = {
  providerId: 'aws:///us-east-1a/i-1',
  instanceType: 'm7g.large',
  zone: 'us-east-1a',
};

const observe = async (query: Partial<ClaimQuery>): Promise<ClaimObjects | undefined> =>
  claimKubernetesCluster({ api: connect(double).api, clock }).observeClaim?.({
    claim: 'general-1',
    ...query,
  });
const nameOf = ({ name }: { readonly name: string }): string => name;

/** The objects of a kind that the last requests returned. */
const listsOf = (path: string): readonly string[] =>
  double.requests
    .filter((request) => request.path.endsWith(path))
    .map(({ query }) => query.get('fieldSelector') ?? query.get('labelSelector') ?? 'all');

describe('the objects of one claim', () => {
  it('are its Node and the pods on it, read by name', async () => {
    addNodes(5);
    const objects = await observe({ instance: { ...INSTANCE, nodeName: 'node-1' } });

    expect(objects?.nodes.map(nameOf)).toEqual(['node-1']);
    expect(objects?.pods.map(nameOf)).toEqual(['api-1', 'web-1']);
    expect(objects?.lastPodEventAt).toEqual({ 'node-1': NOON });
    expect(objects?.pools.map(nameOf)).toEqual(['general']);
    expect(objects?.nodeClassReadiness?.map(nameOf)).toEqual(['default']);
    expect(listsOf('/pods')).toEqual(['spec.nodeName=node-1']);
    expect(listsOf('/nodes')).not.toContain('all');
  });

  it('share the lists that do not depend on the claim with the claims of the same moment', async () => {
    addNodes(3);
    const { observeClaim } = claimKubernetesCluster({ api: connect(double).api, clock });
    const observed = await Promise.all(
      [1, 2, 3].map(async (index) =>
        observeClaim?.({
          claim: `general-${index}`,
          instance: { providerId: `aws:///us-east-1a/i-${index}`, nodeName: `node-${index}` },
          budgets: true,
        }),
      ),
    );

    expect(observed.map((objects) => objects?.nodes.map(nameOf))).toEqual([['node-1'], ['node-2'], ['node-3']]);
    expect(observed.map((objects) => objects?.pools.length)).toEqual([1, 1, 1]);
    for (const shared of ['/nodepools', '/ec2nodeclasses']) expect(listsOf(shared), shared).toEqual(['all']);
    expect(listsOf('/nodes')).toHaveLength(4);
    const again = await observeClaim?.({ claim: 'general-1' });
    expect(again?.pools).toHaveLength(1);
    expect(listsOf('/nodepools')).toEqual(['all', 'all']);
  });

  it('are found on a Node that has not been registered', async () => {
    addNodes(3);
    double.put(nodes, aLiveNode({ name: 'new', spec: { providerID: 'aws:///us-east-1a/i-new' } }));
    const instance = { ...INSTANCE, providerId: 'aws:///us-east-1a/i-new' };

    expect((await observe({ instance }))?.nodes.map(nameOf)).toEqual(['new']);
  });

  it('include a Node whose registration was not recorded', async () => {
    addNodes(2);
    const objects = await observe({ instance: INSTANCE });
    expect(objects?.nodes.map(nameOf)).toContain('node-1');
    expect(objects?.pods.map(nameOf)).toEqual(['api-1', 'web-1']);
  });

  it('include a Node of the same instance under another name', async () => {
    addNodes(1);
    double.put(nodes, aLiveNode({ name: 'twin', spec: { providerID: INSTANCE.providerId } }));
    const objects = await observe({ instance: { ...INSTANCE, nodeName: 'node-1' } });
    expect(objects?.nodes.map(nameOf)).toEqual(['node-1', 'twin']);
  });

  it('include the budgets and their counts, and no pod of other Nodes', async () => {
    addNodes(4);
    const status = { currentHealthy: 3, desiredHealthy: 4, expectedPods: 4 };
    double.put(budgets, aLiveBudget({ status }));
    const objects = await observe({
      instance: { ...INSTANCE, nodeName: 'node-1' },
      budgets: true,
    });

    expect(objects?.podDisruptionBudgets).toMatchObject([{ name: 'web', ...status }]);
    expect(objects?.pods.map(nameOf)).toEqual(['api-1', 'web-1']);
  });

  it('do not contain pods of other Nodes, which are read on their own', async () => {
    addNodes(3);
    const cluster = claimKubernetesCluster({ api: connect(double).api, clock });
    const [some, same] = await Promise.all([
      cluster.podsOnNodes?.(['node-2', 'node-3']),
      cluster.podsOnNodes?.(['node-3']),
    ]);

    expect(some?.map(nameOf)).toEqual(['api-2', 'web-2', 'api-3', 'web-3']);
    expect(same?.map(nameOf)).toEqual(['api-3', 'web-3']);
    expect(listsOf('/pods')).toEqual(['spec.nodeName=node-2', 'spec.nodeName=node-3']);
  });

  it('cost the same requests in a cluster of any size', async () => {
    const read = async (): Promise<number> => {
      const before = double.requests.length;
      await observe({ instance: { ...INSTANCE, nodeName: 'node-1' }, budgets: true });
      return double.requests.length - before;
    };
    addNodes(2);
    const small = await read();
    addNodes(60);
    expect(await read()).toBe(small);
    expect(small).toBeLessThanOrEqual(8);
  });
});

describe('a step of a claim whose Node has 20 of 5,000 pods under one budget', () => {
  const POD_BYTES = 4_500;

  beforeEach(() => {
    const app = 'web';
    const padding = 'x'.repeat(POD_BYTES - JSON.stringify(aLiveRunningPod()).length);
    addNodes(1);
    double.put(budgets, aLiveBudget({ status: { expectedPods: 5_000 } }));
    for (let index = 0; index < 5_000; index += 1) {
      const metadata = { labels: { app }, annotations: { padding } };
      const nodeName = `node-${1 + Math.floor(index / 20)}`;
      double.put(pods, aLiveRunningPod({ name: `p-${index}`, metadata, spec: { nodeName } }));
    }
  });

  it.each<[string, Partial<ClaimQuery>]>([
    ['starting', {}],
    ['running', { instance: { ...INSTANCE, nodeName: 'node-1' } }],
    ['draining', { instance: { ...INSTANCE, nodeName: 'node-1' }, budgets: true }],
  ])('costs fewer than 10 requests and 0.2 MB while %s', async (_, query) => {
    const { api, cost } = createMeteredApi();
    const { observeClaim } = claimKubernetesCluster({ api, clock });

    const objects = await observeClaim?.({ claim: 'general-1', ...query });

    expect(objects?.pods.length).toBe(query.instance ? 22 : 0);
    expect(cost.requests).toBeLessThan(10);
    expect(cost.bytes).toBeLessThan(200_000);
  });

  it('costs as little for each of its volumes that is still attached', async () => {
    const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
    for (let index = 0; index < 4_000; index += 1)
      double.put(attachments, anAttachment(index, `node-${Math.floor(index / 4)}`));
    const { api, cost } = createMeteredApi();
    const { attachedVolumes } = claimKubernetesCluster({ api, clock });
    await attachedVolumes('node-1');
    Object.assign(cost, { requests: 0, bytes: 0 });

    expect(await attachedVolumes('node-1')).toHaveLength(4);

    expect(cost.requests).toBe(4);
    expect(cost.bytes).toBeLessThan(200_000);
  });

  function createMeteredApi() {
    const cost = { requests: 0, bytes: 0 };
    const transport = createHttpTransport({ url: double.url });
    const api = createKubernetesApi({
      userAgent: 'test',
      tokens: { token: async () => '', renew: () => undefined },
      async transport(request, signal) {
        cost.requests += 1;
        const response = await transport(request, signal);
        return { ...response, text: measure(response.text) };
      },
    });
    async function* measure(text: AsyncIterable<string>): AsyncIterable<string> {
      for await (const part of text) {
        cost.bytes += part.length;
        yield part;
      }
    }
    return { api, cost };
  }
});

const anAttachment = (index: number, nodeName: string): RawObject => ({
  metadata: { name: `csi-${index}` },
  spec: { attacher: 'ebs.csi.aws.com', nodeName, source: { persistentVolumeName: `pv-${index}` } },
});
