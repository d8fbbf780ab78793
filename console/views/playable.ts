import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Workload } from '../../shared/model/pods/workload.ts';
import type { WorkloadView } from '../views.ts';
import type { Playable } from './facts.ts';

/** Lists the workloads that the user may scale and the offerings that the user may exhaust. */
export function playableOf({ offerings, claims, pools }: ClusterSnapshot, workloads: readonly Workload[]): Playable {
  const types = claims.flatMap(({ launch }) => launch?.instanceType ?? []);
  return {
    workloads: workloads.flatMap(scalable),
    zones: sortedSet(offerings.map(({ zone }) => zone)),
    instanceTypes: sortedSet(types),
    pools: sortedSet(pools.map(({ name }) => name)),
  };
}

function scalable(workload: Workload): WorkloadView[] {
  const { kind, namespace, name } = workload;
  switch (workload.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return [{ kind, namespace, name, replicas: workload.replicas }];
    case 'Job':
      return [{ kind, namespace, name, replicas: workload.parallelism }];
    case 'DaemonSet':
      return [];
  }
}

const sortedSet = (names: readonly string[]): string[] => [...new Set(names)].toSorted();
