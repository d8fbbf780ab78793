import type { ClusterIdentities, ClusterIdentity } from '../ports/cluster.ts';
import type { ClusterSighting, ClusterSightings } from '../ports/deleted-cluster.ts';

export function memoryClusterIdentities(): ClusterIdentities {
  let stored: ClusterIdentity | undefined;

  return {
    remember: async (own) => (stored ??= own),
  };
}

export function memoryClusterSightings(): ClusterSightings {
  let stored: ClusterSighting | undefined;

  return {
    read: async () => stored,
    async write(sighting) {
      stored = sighting;
    },
  };
}
