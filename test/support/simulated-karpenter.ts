import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { listPodClasses } from '../../shared/scheduling/assignment/assign-batch.ts';
import { listPodsToPlace } from '../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../shared/scheduling/input/problem.ts';
import { type KarpenterRun, simulateKarpenter } from '../../shared/scheduling/karpenter-price/simulate-karpenter.ts';
import { listPodsOnNodes } from '../../shared/scheduling/topology/running-pod-counts.ts';

type KarpenterRunSummary = Pick<KarpenterRun, 'pods' | 'hourlyUsd'>;

/**
 * Simulates Karpenter for all pending pods of the cluster and for the pods of nodes that are
 * leaving.
 */
export function simulateKarpenterFor(cluster: ClusterSnapshot, runs = 1): KarpenterRunSummary[] {
  const problem = prepare(cluster);
  const batch = listPodsToPlace(problem);
  const classes = listPodClasses(problem, batch);
  const runsFound = simulateKarpenter(problem, classes, listPodsOnNodes(batch, problem), runs);
  return runsFound.map(({ pods, hourlyUsd }) => ({ pods, hourlyUsd }));
}
