import type { ClusterSnapshot } from '../../../../shared/model/cluster-snapshot.ts';
import { aPodSpec, aRunningPod, resources } from '../../../support/builders.ts';
import { createManyPools } from '../cluster-inputs.ts';
import { aTypicalPool } from '../ec2-snapshot.ts';
import { createHostilePods, createHostileSnapshot, type HostileInput, range } from './hostile-pods.ts';

/** Half of the pending pods require one of the NodePools; the running pods have thousands of specs. */
function createPoolsOfTeams(pools: number, nodes: number, pods: number): ClusterSnapshot {
  const cluster = createManyPools(nodes, pools, pods);
  return createHostileSnapshot(cluster.pods, cluster);
}

/** Each pod has requests of its own, as Jobs sized by a VerticalPodAutoscaler, and may run in every pool. */
const createRunningSpecs = (pools: number, pods: number): ClusterSnapshot => {
  const { nodes, claims } = createManyPools(Math.ceil(pods / 100), pools, 0);
  return createHostileSnapshot(
    range(pods, (index) =>
      aRunningPod(nodes[index % nodes.length]?.name ?? '', {
        name: `runs-${index}`,
        spec: aPodSpec({
          requests: resources(0.01 + index / 1e7, 0.02 + index / 1e7, { pods: 1 }),
        }),
      }),
    ),
    { pools: range(pools, (index) => aTypicalPool({ name: `pool-${index}` })), nodes, claims },
  );
};

/** NodePools that differ in their instance types, and pods that may run in all of them. */
const createDistinctPools = (pools: number, pods: number): ClusterSnapshot =>
  createHostileSnapshot(
    createHostilePods(pods, (index) => ({
      requests: resources(0.1 + index / 1e5, 0.2 + index / 1e5, { pods: 1 }),
    })),
    {
      pools: range(pools, (index) =>
        aTypicalPool({
          name: `pool-${index}`,
          requirements: [
            { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: [`${index % 90}`] },
            { key: 'karpenter.k8s.aws/instance-memory', operator: 'Gt', values: [`${index * 10}`] },
          ],
        }),
      ),
    },
  );

export const POOL_INPUTS: readonly HostileInput[] = [
  { name: 'pools-20-running-specs-10000', snapshot: () => createRunningSpecs(20, 10_000) },
  { name: 'pools-100-nodes-2000-pods-2000', snapshot: () => createPoolsOfTeams(100, 2_000, 2_000) },
  { name: 'pools-500-nodes-2000-pods-2000', snapshot: () => createPoolsOfTeams(500, 2_000, 2_000) },
  { name: 'pools-distinct-100-specs-5000', snapshot: () => createDistinctPools(100, 5_000) },
];
