/** Where a cluster's API server is. */
export interface ApiServerSettings {
  readonly cluster: string;
  readonly region: string;
  readonly endpoint: string;
  /** PEM. */
  readonly certificateAuthority: string;
}

/** What a home has to know to reach everything that the deployed stack has. */
export interface StackSettings extends ApiServerSettings {
  readonly table: string;
  readonly bucket: string;
  /** Of what clusters learn from each other; absent: the cluster's own. */
  readonly learnedTable?: string;
  /** Where Services get their addresses; absent: EKS is asked. */
  readonly serviceCidr?: string;
  /** As EKS and ARC call the cluster; absent: neither knows it, or nobody here asks ARC. */
  readonly clusterArn?: string;
  /** Zones that the cluster is shifted away from are kept out of. */
  readonly followsShifts?: boolean;
  /** IAM and the price list are out of reach. */
  readonly isIsolated?: boolean;
  /** EC2 is not asked beforehand whether nodes of a class may be launched. */
  readonly isDryRunOff?: boolean;
}
