import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';

/** Adds to a cluster, whatever is in it. */
export type Furnishing = (cluster: ClusterSnapshot) => ClusterSnapshot;
