import type { HomeSettings } from '../../shared/composition/settings.ts';

/** What is known of an API server, for us and for the nodes that are to find it. */
export type ServerFacts = Omit<HomeSettings, 'table' | 'bucket'>;

/** What the environment says instead: an address of our own may be a tunnel's. */
export interface ServerOverrides {
  readonly CLUSTER_NAME?: string | undefined;
  readonly CLUSTER_ENDPOINT?: string | undefined;
  /** PEM, in base64. */
  readonly CLUSTER_CA_BUNDLE?: string | undefined;
  /** Where Services get their addresses, for a cluster that EKS does not know. */
  readonly SERVICE_CIDR?: string | undefined;
}
