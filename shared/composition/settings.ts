/** Where a cluster's API server is, and how to verify it. */
export interface ApiServerSettings {
  readonly cluster: string;
  readonly region: string;
  readonly endpoint: string;
  /** In PEM format. */
  readonly certificateAuthority: string;
}

/** Settings with which a process reaches the resources of the stack. */
export interface StackSettings extends ApiServerSettings {
  readonly table: string;
  readonly bucket: string;
  /** The table in which clusters share what they learned. `undefined`: the cluster's own table. */
  readonly learnedTable?: string;
  /** The CIDR of Service addresses. `undefined`: EKS is asked. */
  readonly serviceCidr?: string;
  /**
   * The cluster's ARN for EKS and ARC. `undefined`: it is not an EKS cluster, or this process does
   * not ask ARC.
   */
  readonly clusterArn?: string;
  /** If true, nothing is launched or terminated in zones that the cluster is shifted away from. */
  readonly followsShifts?: boolean;
  /** True in a VPC without internet access, from which IAM and the price list API are unreachable. */
  readonly isIsolated?: boolean;
  /** ARNs of the customer keys that launches may use for volumes. */
  readonly volumeKeys?: readonly string[];
  /** If true, no dry run of a launch checks the permissions for a node class. */
  readonly isDryRunOff?: boolean;
}
