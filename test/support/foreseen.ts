import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { classesOf } from '../../shared/scheduling/assignment/assign-batch.ts';
import { type Foreseen, foresee } from '../../shared/scheduling/karpenter/foresee.ts';
import { podsToPlace } from '../../shared/scheduling/input/plan-batch.ts';
import { prepare } from '../../shared/scheduling/input/problem.ts';
import { podsOnBins } from '../../shared/scheduling/topology/running-pod-counts.ts';

type Outcome = Pick<Foreseen, 'pods' | 'hourlyUsd'>;

/** What Karpenter would make of all pods that wait in the cluster, and of those that move. */
export function foreseenOf(cluster: ClusterSnapshot, runs = 1): Outcome[] {
  const problem = prepare(cluster);
  const batch = podsToPlace(problem);
  const classes = classesOf(problem, batch);
  const found = foresee(problem, classes, podsOnBins(batch, problem), runs);
  return found.map(({ pods, hourlyUsd }) => ({ pods, hourlyUsd }));
}
