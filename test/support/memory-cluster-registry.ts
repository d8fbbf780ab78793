import type { ClusterLookup, ClusterRegistry } from '../../shared/ports/deleted-cluster.ts';

export interface MemoryClusterRegistry extends ClusterRegistry {
  answer(lookup: ClusterLookup): void;
}

/** EKS as a test says: it knows no cluster at first. */
export function memoryClusterRegistry(): MemoryClusterRegistry {
  let next: ClusterLookup = { outcome: 'not-found' };
  return {
    find: async () => next,
    answer(lookup) {
      next = lookup;
    },
  };
}
