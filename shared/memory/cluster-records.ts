import type { ClusterIdentities, ClusterIdentity } from '../../shared/ports/cluster.ts';

export function memoryClusterIdentities(): ClusterIdentities {
  let stored: ClusterIdentity | undefined;

  return {
    remember: async (own) => (stored ??= own),
  };
}
