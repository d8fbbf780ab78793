import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  claimKubernetesCluster,
  kubernetesCluster,
} from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { countBudgetPods } from '../../../shared/model/pods/budget-pods.ts';
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
      double.put(
        pods,
        aLiveRunningPod({ name: `${app}-${index}`, metadata, spec: { nodeName: name } }),
      );
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

    expect(observed.map((objects) => objects?.nodes.map(nameOf))).toEqual([
      ['node-1'],
      ['node-2'],
      ['node-3'],
    ]);
    expect(observed.map((objects) => objects?.pools.length)).toEqual([1, 1, 1]);
    for (const shared of ['/nodepools', '/ec2nodeclasses'])
      expect(listsOf(shared), shared).toEqual(['all']);
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

  it('count all pods of the budgets on its Node, wherever they run', async () => {
    addNodes(4);
    double.put(budgets, aLiveBudget());
    double.put(
      budgets,
      aLiveBudget({
        name: 'api',
        spec: {
          selector: {
            matchExpressions: [
              { key: 'app', operator: 'In', values: ['api', 'other'] },
              { key: 'app', operator: 'NotIn', values: ['web'] },
              { key: 'app', operator: 'Exists', values: [] },
              { key: 'canary', operator: 'DoesNotExist', values: [] },
            ],
          },
        },
      }),
    );
    const narrow = await observe({
      instance: { ...INSTANCE, nodeName: 'node-1' },
      budgets: true,
    });
    const whole = await kubernetesCluster({ api: connect(double).api, clock }).observe();

    const counts = [narrow, whole].map((objects) => {
      const all = objects?.pods ?? [];
      const own = all.filter(({ nodeName }) => nodeName === 'node-1');
      return countBudgetPods(own, all, objects?.podDisruptionBudgets ?? []);
    });
    expect(counts[0]).toEqual(counts[1]);
    expect(counts[0]?.map(({ budget, pods: matching }) => [budget.name, matching])).toEqual([
      ['api', 4],
      ['web', 4],
    ]);
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
