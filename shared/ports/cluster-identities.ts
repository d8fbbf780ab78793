import type { EpochMs } from '../model/time.ts';

/** What tells a cluster from a later one of the same name. */
export interface ClusterIdentity {
  /** SHA-256 of its certificate authority, in hex. */
  readonly certificateAuthority: string;
  /** Where AWS has told us; absent for clusters that are not EKS'. */
  readonly arn?: string;
  readonly createdAt?: EpochMs;
}

/** Whose records these are. */
export interface ClusterIdentities {
  /** @returns what the first who asked said; `own`, if nobody has yet */
  remember(own: ClusterIdentity): Promise<ClusterIdentity>;
}
