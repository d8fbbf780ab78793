import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { type Foreseen, foresee } from '../../shared/scheduling/karpenter/foresee.ts';
import { podsToPlace } from '../../shared/scheduling/pods/batch.ts';
import { podClasses } from '../../shared/scheduling/pods/pod-classes.ts';
import { settlePods } from '../../shared/scheduling/pods/settle-pods.ts';
import { prepare } from '../../shared/scheduling/problem.ts';
import { labelKeysOf } from '../../shared/scheduling/topology/running-pods.ts';
import { podsOnBins } from '../../shared/scheduling/topology/topology.ts';

type Outcome = Pick<Foreseen, 'pods' | 'hourlyUsd'>;

/** What Karpenter would make of all pods that wait in the cluster, and of those that move. */
export function foreseenOf(cluster: ClusterSnapshot, runs = 1): Outcome[] {
  const problem = prepare(cluster);
  const batch = podsToPlace(problem);
  const settled = settlePods(batch, cluster, problem.attachLimits);
  const policy = cluster.settings?.preferencePolicy;
  const classes = podClasses(settled, labelKeysOf(problem, settled), policy);
  const found = foresee(problem, classes, podsOnBins(batch, problem), runs);
  return found.map(({ pods, hourlyUsd }) => ({ pods, hourlyUsd }));
}
