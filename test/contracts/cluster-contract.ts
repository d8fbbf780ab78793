import { describe, expect, it } from 'vitest';
import { StaleObjectError } from '../../shared/model/errors.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { DISRUPTED_TAINT } from '../../shared/model/requirements/taints.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import { aNodeClaim, NOON } from '../support/builders.ts';
import { project } from '../support/project.ts';

/**
 * A cluster with one Node without finalizers or taints. Three ready pods of a Deployment of three
 * are bound to it: `guarded` by a budget that allows one disruption at a time, or `free`.
 */
export interface ClusterUnderTest {
  readonly cluster: Cluster;
}

/**
 * @param create - a cluster of its own for each test
 */
export function clusterContract(
  adapter: string,
  create: (budget: 'guarded' | 'free') => Promise<ClusterUnderTest>,
): void {
  describe(`Cluster: ${adapter}`, () => {
    const started = async (budget: 'guarded' | 'free' = 'free') => {
      const { cluster } = await create(budget);
      const { nodes, pods } = await cluster.observe();
      return { cluster, node: first(nodes), pod: first(pods), pods };
    };
    const nodeIn = async (cluster: Cluster): Promise<Node | undefined> => (await cluster.observe()).nodes[0];
    const claimIn = async (cluster: Cluster) =>
      (await cluster.observe()).nodeClaims.find(({ name }) => name === 'general-1');
    const podIn = async (cluster: Cluster, { uid }: Pod): Promise<Pod | undefined> =>
      (await cluster.observe()).pods.find((pod) => pod.uid === uid);

    it('reads device objects only if a pod claims a device', async () => {
      const { cluster } = await started();
      expect(await cluster.observe({ devices: true })).not.toHaveProperty('devices');
    });

    describe('a Node', () => {
      it('keeps labels and annotations that a change does not name', async () => {
        const { cluster, node } = await started();

        const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
        await cluster.changeNode(node, { labels: { team: 'shop' }, annotations });

        const changed = await nodeIn(cluster);
        expect(changed?.labels).toEqual({ ...node.labels, team: 'shop' });
        expect(changed?.annotations).toEqual({ ...node.annotations, ...annotations });
        expect(changed?.taints).toEqual(node.taints);
      });

      it('loses the labels that a change removes, and no others', async () => {
        const { cluster, node } = await started();
        await cluster.changeNode(node, { labels: { one: 'a', two: 'b' } });
        const labelled = (await nodeIn(cluster)) ?? node;

        await cluster.changeNode(labelled, {
          labels: { two: 'c' },
          withoutLabels: ['one', 'none'],
        });

        expect((await nodeIn(cluster))?.labels).toEqual({ ...node.labels, two: 'c' });
      });

      it('has exactly the taints and finalizers that a change names', async () => {
        const { cluster, node } = await started();

        const finalizers = ['karpenter.sh/termination'];
        await cluster.changeNode(node, { taints: [DISRUPTED_TAINT], finalizers });

        expect(await nodeIn(cluster)).toMatchObject({ taints: [DISRUPTED_TAINT], finalizers });
      });

      it('is not changed by a writer that read an older version', async () => {
        const { cluster, node } = await started();
        await cluster.changeNode(node, { labels: { first: 'yes' } });

        const late = cluster.changeNode(node, { labels: { second: 'yes' } });

        await expect(late).rejects.toThrow(StaleObjectError);
        expect((await nodeIn(cluster))?.labels.second).toBeUndefined();
      });

      it('is changed by a writer that read the newest version back from a record', async () => {
        const { cluster, node } = await started();

        await cluster.changeNode(structuredClone(node), { labels: { replayed: 'yes' } });

        expect((await nodeIn(cluster))?.labels.replayed).toBe('yes');
      });

      it('goes when it is deleted without finalizers, and then cannot be changed', async () => {
        const { cluster, node } = await started();

        await cluster.deleteNode(node);
        await cluster.deleteNode(node);

        expect(await nodeIn(cluster)).toBeUndefined();
        const late = cluster.changeNode(node, { labels: { late: 'yes' } });
        await expect(late).rejects.toThrow(StaleObjectError);
      });

      it('is not deleted in the place of an earlier one with its name', async () => {
        const { cluster, node } = await started();

        await cluster.deleteNode({ name: node.name, uid: 'an-earlier-uid' });

        expect(await nodeIn(cluster)).toEqual(node);
      });

      it('stays until its finalizers are gone', async () => {
        const { cluster, node } = await started();
        await cluster.changeNode(node, { finalizers: ['karpenter.sh/termination'] });

        await cluster.deleteNode(node);

        const deleting = await nodeIn(cluster);
        expect(deleting?.deletionAt).toBeTypeOf('number');
        await cluster.changeNode(deleting ?? node, { finalizers: [] });
        expect(await nodeIn(cluster)).toBeUndefined();
      });
    });

    describe('an eviction', () => {
      it('sets the deletion timestamp', async () => {
        const { cluster, pod } = await started();

        expect(await cluster.evict(pod)).toEqual({ outcome: 'evicted' });

        expect((await podIn(cluster, pod))?.deletionAt).toBeTypeOf('number');
      });

      it('is refused, with the name of the budget, once the budget is used up', async () => {
        const { cluster, pods } = await started('guarded');
        const [one, two] = pods;

        expect(await cluster.evict(first([one]))).toEqual({ outcome: 'evicted' });
        expect(await cluster.evict(first([two]))).toEqual({ outcome: 'refused', pdb: 'web' });

        expect((await podIn(cluster, first([two])))?.deletionAt).toBeUndefined();
      });

      it('reports a pod as gone if another pod has its name', async () => {
        const { cluster, pod } = await started();

        expect(await cluster.evict({ ...pod, uid: 'of-another-pod' })).toEqual({ outcome: 'gone' });

        expect((await podIn(cluster, pod))?.deletionAt).toBeUndefined();
      });
    });

    describe('the deletion cost of a pod', () => {
      const OURS = {
        'controller.kubernetes.io/pod-deletion-cost': '-1',
        'mortise.sh/on-surplus-node': 'true',
      };

      it('is set with a mark, and removed with it', async () => {
        const { cluster, pod } = await started();

        expect(await cluster.setPodDeletionCost(pod, -1)).toBe('changed');
        expect((await podIn(cluster, pod))?.annotations).toMatchObject(OURS);

        expect(await cluster.setPodDeletionCost(pod, undefined)).toBe('changed');
        expect((await podIn(cluster, pod))?.annotations).toEqual(pod.annotations);
      });

      it('is not set on another pod of the same name', async () => {
        const { cluster, pod } = await started();

        const other = { ...pod, uid: 'of-another-pod' };
        expect(await cluster.setPodDeletionCost(other, -1)).toBe('gone');

        expect((await podIn(cluster, pod))?.annotations).toEqual(pod.annotations);
      });
    });

    describe('a deletion', () => {
      it('ignores budgets', async () => {
        const { cluster, pods } = await started('guarded');

        for (const pod of pods) await cluster.deletePod(pod, 10_000);

        for (const pod of pods) {
          expect((await podIn(cluster, pod))?.deletionAt).toBeTypeOf('number');
        }
      });

      it('takes effect at once without a grace period', async () => {
        const { cluster, pod } = await started();

        await cluster.deletePod(pod, 0);

        expect(await podIn(cluster, pod)).toBeUndefined();
      });

      it('spares another pod of the same name', async () => {
        const { cluster, pod } = await started();

        await cluster.deletePod({ ...pod, uid: 'of-another-pod' }, 0);

        expect(await podIn(cluster, pod)).toEqual(pod);
      });

      it('never extends an earlier grace period', async () => {
        const { cluster, pod } = await started();
        await cluster.deletePod(pod, 5_000);
        const before = (await podIn(cluster, pod))?.deletionAt ?? 0;

        await cluster.deletePod(pod, 25_000);

        expect((await podIn(cluster, pod))?.deletionAt).toBe(before);
      });
    });

    it('writes a NodeClaim twice and deletes it twice without an error', async () => {
      const { cluster } = await started();

      await project(cluster, aNodeClaim());
      await project(cluster, aNodeClaim({ nodeName: 'node-1' }));
      expect(await claimIn(cluster)).toMatchObject({ name: 'general-1', nodeName: 'node-1' });
      await cluster.removeNodeClaim('general-1');

      await expect(cluster.removeNodeClaim('general-1')).resolves.toBeUndefined();
      expect(await claimIn(cluster)).toBeUndefined();
    });

    it('shows a NodeClaim as terminating until it is removed', async () => {
      const { cluster } = await started();
      await project(cluster, aNodeClaim());
      expect(await claimIn(cluster)).not.toHaveProperty('deletionAt');

      await project(cluster, aNodeClaim({ deletingAt: NOON }));

      expect((await claimIn(cluster))?.deletionAt).toBeTypeOf('number');
    });
  });
}

function first<T>(objects: readonly (T | undefined)[]): T {
  const [object] = objects;
  if (object === undefined) throw new Error('The cluster under test lacks what the contract needs');
  return object;
}
