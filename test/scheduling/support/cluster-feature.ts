import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';

/** Adds a feature to any cluster. */
export type Furnishing = (cluster: ClusterSnapshot) => ClusterSnapshot;
