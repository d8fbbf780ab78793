import type { ClusterIdentities, ClusterIdentity } from '../ports/cluster.ts';

export function simClusterIdentities(): ClusterIdentities {
  let known: ClusterIdentity | undefined;

  return {
    remember: async (own) => (known ??= own),
  };
}
