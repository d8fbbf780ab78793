import type { EpochMs } from '../model/time.ts';
import type { ClusterIdentity } from './cluster.ts';

/** The answer of EKS when it is asked for the cluster. */
export type ClusterLookup =
  | {
      readonly outcome: 'found';
      readonly identity: Required<Pick<ClusterIdentity, 'arn' | 'certificateAuthority'>>;
    }
  /** EKS has no cluster of this name in this account and region. */
  | { readonly outcome: 'not-found' }
  /** Denied, throttled, unreachable or unreadable: this says nothing about the cluster. */
  | { readonly outcome: 'unknown'; readonly why: string };

/** EKS: says if the cluster exists, even if no API server answers. */
export interface ClusterRegistry {
  find(): Promise<ClusterLookup>;
}

/** The sweeps' record of EKS's answers. */
export interface ClusterSighting {
  /** The ARN of the cluster in EKS; `undefined` until EKS has reported the cluster once. */
  readonly arn?: string;
  /** When EKS first and last answered, without another answer between, that the cluster does not exist. */
  readonly missing?: { readonly since: EpochMs; readonly lastAt: EpochMs };
}

/** The stored sighting. */
export interface ClusterSightings {
  /** Returns `undefined` before the first sighting. */
  read(): Promise<ClusterSighting | undefined>;
  write(sighting: ClusterSighting): Promise<void>;
}

/** The launch templates and instance profiles of the cluster, whatever NodeClass they belong to. */
export interface ClusterResources {
  /** Deletes them whatever their age: without an API server no launch can name them. */
  removeTemplates(): Promise<void>;
  /**
   * Leaves those that an instance still uses.
   *
   * @throws Error - IAM cannot be reached or refuses; the message says what remains
   */
  removeProfiles(): Promise<void>;
}
