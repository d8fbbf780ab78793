/** How a cluster's API server can be reached, and what it can reach. */
export interface ClusterNetwork {
  readonly isPublic: boolean;
  /** Addresses that the public endpoint answers. */
  readonly publicCidrs: readonly string[];
  /** Which way calls of the control plane take: the network of EKS, the cluster's VPC, or none. */
  readonly egress: 'aws-managed' | 'customer-routed' | 'customer-isolated';
}
